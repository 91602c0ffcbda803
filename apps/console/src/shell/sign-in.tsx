import { Field } from '@base-ui/react/field';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { use, useState } from 'react';
import { ask } from '../api/ask.ts';
import { meQuery } from '../api/queries.ts';
import { Refusal, reasonOf } from '../api/refusal.ts';
import { keepJourney, keepSession } from '../api/session.ts';
import type { SignInRequest, SignedOut, WayToSignIn } from '../contract.ts';
import { Notice } from '../parts/notice.tsx';
import { ArrivalContext } from './arrival.ts';
import { useTitle } from './use-title.ts';

const labels: Readonly<Record<Exclude<WayToSignIn, 'oauth'>, string>> = {
  secret: 'Secret',
  key: 'API key',
};

const hints: Readonly<Record<Exclude<WayToSignIn, 'oauth'>, string>> = {
  secret:
    'Open the address that the server printed when it started: it signs you in once, within 10 minutes. Run `workflowlookup address` for a new one.',
  key: 'One that begins with wlk_. The page exchanges it for a session of 12 hours and does not keep it.',
};

/** The ways in that the server offers. */
export function SignIn({ ways: { ways } }: { readonly ways: SignedOut }): ReactNode {
  useTitle('Sign in');
  const { problem } = use(ArrivalContext);
  return (
    <div className="card stack">
      <h1>Sign in</h1>
      {problem !== undefined && <Notice tone="waits" title={problem} />}
      {ways.includes('oauth') && <OAuthButton />}
      {ways
        .filter((one) => one !== 'oauth')
        .map((one) => (
          <CredentialForm key={one} way={one} />
        ))}
      {ways.length === 0 && <p className="muted">This server offers no way to sign in.</p>}
    </div>
  );
}

function OAuthButton(): ReactNode {
  const begin = useMutation({
    mutationFn: () => ask('POST /oauth/begin'),
    onSuccess: ({ url, journey }) => {
      keepJourney(journey);
      location.assign(url);
    },
  });
  return (
    <>
      {begin.error !== null && <Notice tone="refused" title={begin.error.message} />}
      <button
        type="button"
        className="button button-main"
        disabled={begin.isPending || begin.isSuccess}
        onClick={() => begin.mutate()}
      >
        Continue at your organization
      </button>
    </>
  );
}

function CredentialForm({ way }: { readonly way: 'secret' | 'key' }): ReactNode {
  const client = useQueryClient();
  const [value, setValue] = useState('');
  const signIn = useMutation({
    mutationFn: (body: SignInRequest) => ask('POST /sign-in', { body }),
    onSuccess: ({ token, me }) => {
      keepSession(token);
      client.setQueryData(meQuery.queryKey, me);
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const given = value.trim();
        signIn.mutate(way === 'key' ? { key: given } : { secret: given });
      }}
    >
      <Field.Root className="field">
        <Field.Label>{labels[way]}</Field.Label>
        <Field.Control
          className="input mono"
          type="password"
          autoComplete="off"
          required
          value={value}
          onValueChange={setValue}
        />
        <Field.Description className="muted small">{hints[way]}</Field.Description>
      </Field.Root>
      {signIn.error !== null && <Notice tone="refused" title={failureText(signIn.error)} />}
      <button className="button button-main" disabled={signIn.isPending || value.trim() === ''}>
        Sign in
      </button>
    </form>
  );
}

function failureText(error: Error): string {
  if (!(error instanceof Refusal)) return reasonOf(error);
  if (error.status === 401) return 'That is not one this server knows.';
  if (error.status === 429)
    return `Too many attempts. Try again in ${error.retryAfterSeconds ?? 60} seconds.`;
  return error.message;
}
