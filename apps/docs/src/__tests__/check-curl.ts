import { allowedMethods, createParser, findPath, operations, ShapeError } from '@aosc/contract';

const flags = new Set(['-s', '-S', '-f', '-k', '-i', '-N', '-v', '-L', '--fail', '--silent', '--no-buffer']);
const flagsWithValue = new Set([
  '-X',
  '-H',
  '-d',
  '-u',
  '-o',
  '-w',
  '--cacert',
  '--data-binary',
  '--max-time',
]);
const bodyFlags = new Set(['-d', '--data-binary']);
const commonParameters = new Set(['pretty', 'human', 'error_trace', 'filter_path']);

interface Request {
  readonly method: string;
  readonly url: string;
  readonly body: string | undefined;
}

/** What is wrong with a curl command, if anything. Requests at the API are held to its OpenAPI document. */
export function checkCurl(args: readonly string[]): readonly string[] {
  const request = readRequest(args);
  if (typeof request === 'string') return [request];
  const { method, url, body } = request;
  const [address = '', query = ''] = url.replace(/^https?:\/\//, '').split('?');
  const [server = '', ...parts] = address.split('/');
  const path = `/${parts.join('/')}`;
  const json = body === undefined || body === '$()' ? undefined : parseBody(body);
  if (json?.problem !== undefined) return [`the body of ${url} is no JSON: ${json.problem}`];
  if (server.endsWith(':9200')) return [];
  if (!server.endsWith(':9650')) return [`${url} is neither the API (:9650) nor OpenSearch (:9200)`];
  const template = findPath(path);
  if (template === undefined) return [`the API has no path ${path}`];
  if (!allowedMethods(path).includes(method)) return [`the API has no ${method} ${template}`];
  const operation = operations.find((each) => each.path === template && each.method === method.toLowerCase());
  if (operation === undefined) return [];
  const known = new Set(
    operation.parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name),
  );
  const unknown = [...new URLSearchParams(query).keys()].filter(
    (name) => !known.has(name) && !(operation.commonParameters && commonParameters.has(name)),
  );
  const complaints = unknown.map((name) => `${method} ${template} has no parameter ${name}`);
  if (operation.body === undefined)
    return json === undefined ? complaints : [...complaints, `${url} takes no body`];
  if (json === undefined) {
    const mayLack = operation.body.isOptional === true || body === '$()';
    return mayLack ? complaints : [...complaints, `${url} needs a body`];
  }
  return [...complaints, ...problemsOfBody(`${method} ${template}`, operation.body.schema, json.value)];
}

function problemsOfBody(
  what: string,
  schema: Parameters<typeof createParser>[1],
  value: unknown,
): readonly string[] {
  try {
    createParser(what, schema)(value);
    return [];
  } catch (error) {
    if (error instanceof ShapeError) return [error.message];
    throw error;
  }
}

function parseBody(body: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: JSON.parse(body) };
  } catch (error) {
    return { problem: String(error) };
  }
}

/** @returns the request, or what can't be understood */
function readRequest(args: readonly string[]): Request | string {
  let method: string | undefined;
  let body: string | undefined;
  const urls: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (!arg.startsWith('-')) {
      urls.push(arg);
      continue;
    }
    const isShort = !arg.startsWith('--');
    const attached = isShort && flagsWithValue.has(arg.slice(0, 2)) && arg.length > 2;
    const flag = attached ? arg.slice(0, 2) : arg;
    if (flagsWithValue.has(flag)) {
      const value = attached ? arg.slice(2) : (args[(at += 1)] ?? '');
      if (flag === '-X') method = value;
      if (bodyFlags.has(flag)) body = value;
    } else if (
      !flags.has(flag) &&
      !(isShort && Array.from(flag.slice(1)).every((letter) => flags.has(`-${letter}`)))
    ) {
      return `curl's ${flag} is not known here: see check-curl.ts`;
    }
  }
  const [url] = urls;
  if (url === undefined || urls.length > 1) return `curl has ${urls.length} addresses: ${urls.join(' ')}`;
  return { method: method ?? (body === undefined ? 'GET' : 'POST'), url, body };
}
