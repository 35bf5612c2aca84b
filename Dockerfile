# The sandbox of one workspace: Cloudflare's image, and beside its server our supervisor. Nothing is downloaded at build.
FROM docker.io/cloudflare/sandbox:0.12.10
COPY dist/supervisor.mjs /opt/edge-harness/supervisor.mjs
CMD ["node", "/opt/edge-harness/supervisor.mjs", "--mode", "sandbox"]
