import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * `node docker/pin.mjs [file]`: asks the registry, through docker, which digests the tags of the images stand for today,
 * and writes them into docker/.env, where compose reads them. A tag can be moved, a digest can't. Writes nothing unless
 * all of them are known.
 */
const target = process.argv[2] ?? fileURLToPath(new URL('.env', import.meta.url));
const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');

const compose = read('compose.yml');
const major = /^ARG NODE_MAJOR=(\d+)$/m.exec(read('Dockerfile'))?.[1];
const images = [
  ['NODE_DIGEST', `node:${major}-bookworm-slim`],
  ...['OPENSEARCH_DIGEST', 'REDIS_DIGEST', 'PROMETHEUS_DIGEST', 'GRAFANA_DIGEST'].map((name) => [
    name,
    new RegExp(`image: (\\S+)\\$\\{${name}:-\\}`).exec(compose)?.[1],
  ]),
];

function digestOf(image) {
  const args = ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}'];
  const { status, stdout, stderr, error } = spawnSync('docker', args, { encoding: 'utf8' });
  const digest = (stdout ?? '').trim();
  if (status === 0 && /^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
  throw new Error(`no digest of ${image}: ${error?.message ?? (stderr.trim() || digest)}`);
}

try {
  const lines = images.map(([name, image]) => `${name}=@${digestOf(image)}`);
  writeFileSync(target, `${lines.join('\n')}\n`);
  console.log(lines.join('\n'));
} catch (error) {
  console.error(`${error.message}; nothing was written`);
  process.exitCode = 1;
}
