/**
 * `node docker/entry.mjs api|worker|scheduler`: becomes that process. It runs in this one, so that it gets the
 * signals of `docker stop` itself.
 */
const processes = ['api', 'worker', 'scheduler'];
const [name, ...rest] = process.argv.slice(2);
if (!processes.includes(name) || rest.length > 0) {
  console.error(`usage: ${processes.join('|')} (got: ${process.argv.slice(2).join(' ') || 'nothing'})`);
  process.exit(2);
}
await import(new URL(`../apps/${name}/dist/main.js`, import.meta.url).href);
