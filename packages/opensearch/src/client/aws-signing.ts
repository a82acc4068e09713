import { within } from '@aosc/signals';
import { AwsSigv4Signer } from '@opensearch-project/opensearch/aws-v3';

/** As AWS's SDK returns them; credentials that do not expire have no `expiration`. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

/** Caches credentials until they expire; many callers may call it at once. */
export type AwsCredentialProvider = () => Promise<AwsCredentials>;

export interface AwsSigning {
  readonly region: string;
  /** `es`: a domain; `aoss`: a serverless collection */
  readonly service: 'es' | 'aoss';
}

/** There were no credentials, so nothing was sent. The message contains no secret, and no cause could. */
class AwsCredentialsError extends Error {
  override readonly name = 'AwsCredentialsError';
}

/** The chain's own time-outs are poor: a black hole in front of STS would hold every request for ever. */
const credentialsTimeoutMs = 20_000;
const longestReason = 300;

/**
 * The client's own signer. It signs each attempt over the bytes of its body, and asks for new credentials when the
 * current ones expire within a request's time-out.
 * @param openProvider called when the first request needs credentials, and again after they did not come in time
 */
export function createSigner(
  { region, service }: AwsSigning,
  openProvider: () => Promise<AwsCredentialProvider> = openStandardChain,
  timeoutMs = credentialsTimeoutMs,
): Pick<ReturnType<typeof AwsSigv4Signer>, 'Connection' | 'Transport'> {
  let provider: Promise<AwsCredentialProvider> | undefined;
  const getCredentials = async (): Promise<AwsCredentials> => {
    const asked = (provider ??= openProvider());
    try {
      const credentials = await within(
        timeoutMs,
        asked.then((get) => get()),
      );
      if (credentials !== undefined) return credentials;
      throw new AwsCredentialsError(`no AWS credentials within ${timeoutMs} ms`);
    } catch (error) {
      // A provider that hangs makes all callers wait for the same answer, so it must be replaced.
      if (provider === asked) provider = undefined;
      throw describeFailure(error);
    }
  };
  const { Connection, Transport } = AwsSigv4Signer({ region, service, getCredentials });
  return { Connection, Transport };
}

/** Loads the chain only when needed: it is larger than the client. */
async function openStandardChain(): Promise<AwsCredentialProvider> {
  const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
  return defaultProvider();
}

function describeFailure(error: unknown): AwsCredentialsError {
  if (error instanceof AwsCredentialsError) return error;
  return new AwsCredentialsError(
    `no AWS credentials: ${reasonOf(error)}. The standard chain looks at the environment, AWS's shared files, ` +
      'a web identity token, and the role of the container or the machine',
  );
}

/**
 * Messages of other errors may quote text that could not be parsed, and that of a `credential_process` contains its
 * command and all its output.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown failure';
  const isWritten = error.name === 'CredentialsProviderError' || '$fault' in error;
  if (!isWritten) return error.name;
  if (error.message.startsWith('Command failed')) return 'credential_process failed';
  return error.message.replace(/\s+/g, ' ').replace(/\.$/, '').slice(0, longestReason);
}
