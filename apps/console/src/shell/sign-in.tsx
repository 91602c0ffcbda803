import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { createContext, use, useState } from 'react';
import {
  RequestError,
  callApi,
  errorMessage,
  storeOAuthState,
  storeSignInToken,
  takeOAuthState,
} from '../api/client.ts';
import { meQuery } from '../api/queries.ts';
import { Form, TextField, Button } from '../components/controls.tsx';
import { Notice } from '../components/notice.tsx';
import type { SignInRequest, SignedIn, SignedOut } from '../contract/index.ts';
import { shellMessages } from '../messages/common.ts';
import { useTitle } from './page.tsx';

const { signIn: messages } = shellMessages;

export function SignIn({ methods }: { readonly methods: SignedOut['methods'] }): ReactNode {
  useTitle(messages.title);
  const { problem } = use(AddressSignInContext);
  return (
    <div className="card stack">
      <span className="product">
        <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" />
        {shellMessages.product}
      </span>
      <h1>{messages.title}</h1>
      {problem !== undefined && <Notice tone="waits" title={problem} />}
      {methods.includes('oauth') && <OAuthButton />}
      {methods
        .filter((one) => one !== 'oauth')
        .map((one) => (
          <CredentialForm key={one} method={one} />
        ))}
      {methods.length === 0 && <p className="muted">{messages.noMethods}</p>}
    </div>
  );
}

function OAuthButton(): ReactNode {
  const begin = useMutation({
    mutationFn: () => callApi('POST /oauth/begin'),
    onSuccess: ({ url, journey }) => {
      storeOAuthState(journey);
      location.assign(url);
    },
  });
  return (
    <>
      {begin.error !== null && <Notice tone="refused" title={begin.error.message} />}
      <Button look="main" disabled={begin.isPending || begin.isSuccess} onClick={() => begin.mutate()}>
        {messages.oauth}
      </Button>
    </>
  );
}

function CredentialForm({ method }: { readonly method: 'secret' | 'key' }): ReactNode {
  const client = useQueryClient();
  const [value, setValue] = useState('');
  const requestOf = (given: string): SignInRequest =>
    method === 'key' ? { key: given } : { secret: secretIn(given) };
  const signIn = useMutation({
    mutationFn: (given: string) => callApi('POST /sign-in', { body: requestOf(given) }),
    onSuccess: ({ token, me }) => {
      storeSignInToken(token);
      client.setQueryData(meQuery.queryKey, me);
    },
  });
  return (
    <Form className="stack" onSubmit={() => signIn.mutate(value.trim())}>
      <TextField
        label={messages.labels[method]}
        type="password"
        isMono
        required
        hint={method === 'key' ? messages.hints.key : <NewLinkHint />}
        value={value}
        onChange={setValue}
      />
      {signIn.error !== null && <Notice tone="refused" title={failureText(signIn.error)} />}
      <Button type="submit" look="main" disabled={signIn.isPending || value.trim() === ''}>
        {messages.submit}
      </Button>
    </Form>
  );
}

function NewLinkHint(): ReactNode {
  const { before, command, after } = messages.newLink;
  return (
    <>
      {before}
      <code>{command}</code>
      {after}
    </>
  );
}

/** Returns the secret of a sign-in link, or the text itself if it is no link. */
function secretIn(given: string): string {
  const at = given.indexOf(secretPrefix);
  return at === -1 ? given : decodeURIComponent(given.slice(at + secretPrefix.length));
}

function failureText(error: Error): string {
  if (!(error instanceof RequestError)) return errorMessage(error);
  const isKnownKey = error.data['key'] !== undefined;
  if (error.status === 401 && !isKnownKey) return messages.unknownCredential;
  if (error.status === 429) return messages.tooManyAttempts(error.retryAfterSeconds ?? 60);
  return error.message;
}

/** The result of signing in with the URL the page was opened at. */
interface AddressSignIn {
  readonly me?: SignedIn;
  readonly problem?: string;
}

/** The result of signing in with the URL, for the sign-in page. */
export const AddressSignInContext = createContext<AddressSignIn>({});

const secretPrefix = '#sign-in=';
const returned = '#sign-in-returned';

/**
 * Signs in with the secret in the fragment of the URL, or with the reply of the authorization server. It removes the
 * fragment from the address bar and from the history first. Browsers never send a fragment to a server.
 */
export async function signInFromAddress(): Promise<AddressSignIn> {
  const { hash, pathname, search } = location;
  if (!hash.startsWith('#sign-in')) return {};
  history.replaceState(null, '', pathname + search);
  const journey = hash.startsWith(returned) ? takeOAuthState() : '';
  if (journey === undefined) return { problem: messages.otherTab };
  try {
    const { token, me } = await (journey === ''
      ? callApi('POST /sign-in', { body: { secret: secretIn(hash) } })
      : callApi('POST /oauth/finish', { body: { journey, search: hash.slice(returned.length) } }));
    storeSignInToken(token);
    return { me };
  } catch (error) {
    const isOldLink = journey === '' && error instanceof RequestError && error.status === 401;
    return { problem: isOldLink ? messages.linkExpired : errorMessage(error) };
  }
}
