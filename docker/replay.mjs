import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

/**
 * Carries out the stages of a Dockerfile without an engine: each stage in an empty folder of its own, with this
 * machine's node and shell. What it can't show: the base image, its user and its system libraries.
 */

/**
 * @param dockerfile as `DockerfileParser.parse` gives it
 * @param context the folder to copy from @param isIgnored tells of a path in it whether `.dockerignore` leaves it out
 * @param folder an empty one
 * @returns the last stage's folder, its working directory in it, its ENV, ENTRYPOINT and CMD
 */
export function replay(dockerfile, { context, isIgnored, folder, say }) {
  const stages = new Map();
  let stage;
  for (const instruction of dockerfile.getInstructions()) {
    const keyword = instruction.getKeyword();
    const args = instruction.getArguments().map((argument) => argument.getValue());
    switch (keyword) {
      case 'ARG':
      case 'USER':
        break;
      case 'FROM': {
        const name = instruction.getBuildStage() ?? 'last';
        stage = { root: join(folder, name), workdir: '/', env: {}, entrypoint: [], cmd: [] };
        mkdirSync(stage.root, { recursive: true });
        stages.set(name, stage);
        break;
      }
      case 'WORKDIR':
        stage.workdir = args[0];
        mkdirSync(pathOf(stage), { recursive: true });
        break;
      case 'ENV':
        for (const property of instruction.getProperties())
          stage.env[property.getName()] = property.getValue();
        break;
      case 'COPY':
        copy(instruction, args, { stages, stage, context, isIgnored });
        break;
      case 'RUN':
        say(`RUN ${instruction.getArgumentsContent().replace(/\s+/g, ' ')}`);
        run(instruction.getArgumentsContent(), stage);
        break;
      case 'ENTRYPOINT':
      case 'CMD':
        stage[keyword.toLowerCase()] = JSON.parse(instruction.getArgumentsContent());
        break;
      default:
        throw new Error(`${keyword} is not known here`);
    }
  }
  return { ...stage, folder: pathOf(stage) };
}

function pathOf({ root, workdir }, path = '') {
  return path.startsWith('/') ? join(root, path) : join(root, workdir, path);
}

function copy(instruction, args, { stages, stage, context, isIgnored }) {
  const flag = instruction.getFlags().find((candidate) => candidate.getName() === 'from');
  const from = flag === undefined ? undefined : stages.get(flag.getValue());
  if (flag !== undefined && from === undefined) throw new Error(`no stage ${flag.getValue()}`);
  const paths = args.filter((argument) => !argument.startsWith('--'));
  const destination = paths.pop();
  for (const path of paths) {
    const source = from === undefined ? join(context, path) : pathOf(from, path);
    const isFolder = statSync(source).isDirectory();
    const target = pathOf(stage, destination);
    const into = !isFolder && destination.endsWith('/') ? join(target, basename(source)) : target;
    // A folder's content is copied, not the folder; links stay links.
    cpSync(source, into, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (candidate) => from !== undefined || !isIgnored(relative(context, candidate)),
    });
  }
}

function run(command, stage) {
  const { status } = spawnSync('sh', ['-ec', command], {
    cwd: pathOf(stage),
    env: { ...process.env, ...stage.env },
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error(`a RUN line ended with ${status}: ${command}`);
}

/** Bytes of everything below a folder. */
export function sizeOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + sizeOf(path);
    return sum + (entry.isFile() ? statSync(path).size : 0);
  }, 0);
}
