/** The link that signs a browser in, once. The code stands behind the `#`, which no server and no log gets to see. */
import { ApiClient } from './api-client.ts';

export async function createSignInLink({ url, token }: { url: string; token: string }): Promise<string> {
  const { body } = await new ApiClient(url, token).call<{ code: string }>('POST', '/session/codes');
  return `${url}/sign-in#code=${encodeURIComponent(body.code)}`;
}
