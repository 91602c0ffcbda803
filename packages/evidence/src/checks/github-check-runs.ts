import { githubReasons } from '../messages.ts';

/** The check runs to ask GitHub for. */
interface CheckRunRequest {
  /** Owner and name, with a slash between them. */
  readonly repository: string;
  readonly commit: string;
  /** The name of the check run. */
  readonly name: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** What GitHub says: why the check runs do not count, or that one has not ended yet. */
type CheckRunAnswer = { readonly reasons: readonly string[] } | { readonly pending: string };

const defaultApi = 'https://api.github.com';

/** Most check runs of one name that are read. */
const maxRuns = 1000;

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Asks GitHub for the newest check runs of a name at a commit. All of them must have succeeded: several workflows can
 * use one name. The token is in no message.
 */
export async function askGitHub(request: CheckRunRequest): Promise<CheckRunAnswer> {
  const { repository, commit, name, environment, signal } = request;
  const token = environment['WORKFLOWLOOKUP_GITHUB_TOKEN'] || environment['GITHUB_TOKEN'];
  if (token === undefined || token === '') return { reasons: [githubReasons.noToken()] };
  const baseUrl = (environment['GITHUB_API_URL'] || defaultApi).replace(/\/+$/, '');
  if (!isSafe(baseUrl)) return { reasons: [githubReasons.notEncrypted()] };
  const [owner = '', repo = ''] = repository.split('/');
  const { Octokit } = await import('@octokit/rest');
  const octokit = new Octokit({ auth: token, baseUrl, log: silent, userAgent: 'workflowlookup' });
  try {
    let count = 0;
    const runs = await octokit.paginate(
      octokit.rest.checks.listForRef,
      {
        owner,
        repo,
        ref: commit,
        check_name: name,
        filter: 'latest',
        per_page: 100,
        request: { signal },
      },
      ({ data }, done) => {
        count += data.length;
        if (count >= maxRuns) done();
        return data;
      },
    );
    return judgeRuns(
      runs.filter((run) => run.name === name && run.head_sha === commit),
      request,
    );
  } catch (error) {
    return { reasons: [failureOf(error, request)] };
  }
}

function isSafe(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname));
}

interface Run {
  readonly status: string;
  readonly conclusion: string | null;
}

function judgeRuns(runs: readonly Run[], { name, commit }: CheckRunRequest): CheckRunAnswer {
  if (runs.length === 0) return { reasons: [githubReasons.noRun(name, commit)] };
  const bad = runs.filter(({ status, conclusion }) => status === 'completed' && conclusion !== 'success');
  if (bad.length > 0)
    return {
      reasons: [...new Set(bad.map((run) => githubReasons.concluded(name, run.conclusion ?? 'none')))],
    };
  const open = runs.find(({ status }) => status !== 'completed');
  return open === undefined ? { reasons: [] } : { pending: githubReasons.pending(name, open.status) };
}

/** Reports only the status and the limits of a failed request, because its headers have the token. */
function failureOf(error: unknown, { repository, commit }: CheckRunRequest): string {
  const { status, response } = error as {
    readonly status?: number;
    readonly response?: { readonly headers?: Readonly<Record<string, string | undefined>> };
  };
  const headers = response?.headers ?? {};
  const isLimited = headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined;
  if ((status === 403 || status === 429) && isLimited) return githubReasons.limited(againAt(headers));
  switch (status) {
    case 401:
      return githubReasons.tokenRefused();
    case 403:
    case 404:
      return githubReasons.noAccess(repository);
    case 422:
      return githubReasons.unknownCommit(commit, repository);
    case undefined:
    case 500:
      return githubReasons.unreachable();
    default:
      return githubReasons.failed(status);
  }
}

function againAt(headers: Readonly<Record<string, string | undefined>>): string | undefined {
  const seconds = Number(headers['x-ratelimit-reset']);
  return Number.isSafeInteger(seconds) && seconds > 0 && seconds < 1e11
    ? new Date(seconds * 1000).toISOString()
    : undefined;
}
