# The sandbox of a task on Cloudflare: the SDK's own image, with the supervisor beside its server.
# Files are copied only; nothing is downloaded at build. `npm run build` makes dist/supervisor.mjs.
FROM docker.io/cloudflare/sandbox:0.12.10

COPY dist/supervisor.mjs /opt/edge-harness/supervisor.mjs

# The SDK's entrypoint stays: it runs this command and keeps its API server as PID 1. A supervisor that dies is started
# again and goes on with what ran; its own log is /var/lib/edge-harness/supervisor.log.
CMD ["sh", "-c", "while :; do node /opt/edge-harness/supervisor.mjs --mode sandbox --own-container; sleep 1; done"]
