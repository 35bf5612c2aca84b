/** Signing in: by token, by the code behind the `#` of the launcher's link, or because the browser already is. */
import { request } from './api.ts';
import { byId, input } from './dom.ts';
import { messageOf } from './toast.ts';

export async function start(): Promise<void> {
  const form = document.getElementById('sign-in') as HTMLFormElement | null;
  if (form === null) return;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void signIn({ token: input(form, 'token').value.trim() });
  });
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) {
    history.replaceState(null, '', location.pathname + location.search);
    return signIn({ code });
  }
  if (await isSignedIn()) return leave();
  input(form, 'token').focus();
}

async function signIn(body: { token: string } | { code: string }): Promise<void> {
  const error = byId('sign-in-error');
  error.textContent = '';
  try {
    await request('POST', '/session', body);
    leave();
  } catch (thrown) {
    // Whoever used the link once is signed in already.
    if ('code' in body && (await isSignedIn())) return leave();
    error.textContent = messageOf(thrown);
  }
}

/** A link from elsewhere comes without the strict cookie; a request of this page brings it. */
const isSignedIn = (): Promise<boolean> =>
  fetch('/session').then(
    ({ status }) => status === 200,
    () => false,
  );

/** Only to a page of this service. */
function leave(): void {
  const next = new URLSearchParams(location.search).get('next') ?? '/';
  const target = new URL(next, location.origin);
  location.replace(target.origin === location.origin ? target.pathname + target.search : '/');
}
