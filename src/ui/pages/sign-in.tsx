/** The sign-in page: one field. A link of the development launcher fills nothing in, it signs in by itself. */
export const SignIn = ({ isConfigured }: { isConfigured: boolean }) => (
  <div class="narrow">
    <h1>Sign in</h1>
    {isConfigured ? (
      <form id="sign-in" method="post" class="card form" autocomplete="on">
        <label class="field">
          <span>API token</span>
          <input
            type="password"
            name="token"
            autocomplete="current-password"
            required
            spellcheck={false}
            aria-describedby="sign-in-help sign-in-error"
          />
        </label>
        <p id="sign-in-help" class="help">
          The secret <code>API_TOKEN</code> of this deployment, or a token that somebody made for you. With{' '}
          <code>npm run dev</code> use the link that it prints.
        </p>
        <p id="sign-in-error" class="error" role="alert"></p>
        <button type="submit" disabled class="primary">
          Sign in
        </button>
      </form>
    ) : (
      <div class="card">
        <p>This deployment has no API token, so nobody can sign in. Set one and come back:</p>
        <pre>
          <code>wrangler secret put API_TOKEN</code>
        </pre>
      </div>
    )}
    <noscript>
      <p class="error">The pages need JavaScript; the API does not.</p>
    </noscript>
  </div>
);
