#!/usr/bin/env bun
import { loadConfig } from "./config.ts";
import { describeError, WeirError } from "./types/mod.ts";

const USAGE = `weir <command>

  start       run everything on this machine
  front       run what takes events: owns the port, and hands other requests on to the api
  api         run the management API
  worker      run one worker against a shared broker and record store
  compactor   run one compactor
  query       calculate background queries
  status      show partitions, their owners, what is queued, files
  lake        show files and columns; verify files and deletions
  explain     show the statements behind a query or an insight
  dead-letters  list and send in again events that were set aside
  keys        make, list and revoke personal API keys
  projects    make and list projects
  demo        make a project with months of events of a made-up product

Settings are environment variables: see README.md.`;

/** Each role is loaded only when it is asked for, so that a process carries what it uses. */
async function main(argv: string[]): Promise<number> {
  const [command, ...rest] = argv;
  switch (command) {
    case "start":
      return (await import("./runtime/roles/start.ts")).runStart(loadConfig());
    case "front":
      return (await import("./runtime/roles/front.ts")).runFront(loadConfig());
    case "api":
      return (await import("./runtime/roles/api.ts")).runApi(loadConfig());
    case "worker":
      return (await import("./runtime/roles/worker.ts")).runWorker(
        loadConfig(),
        (await import("../actors/mod.ts")).ACTORS,
      );
    case "compactor":
      return (await import("./runtime/roles/compactor.ts")).runCompactor(loadConfig());
    case "query":
      return (await import("./runtime/roles/query.ts")).runQueryRole(loadConfig());
    case "status":
      return (await import("./runtime/roles/status.ts")).runStatus(loadConfig(), rest);
    case "lake":
      return (await import("./runtime/roles/lake.ts")).runLake(loadConfig(), rest);
    case "explain":
      return (await import("./runtime/roles/explain.ts")).runExplainRole(loadConfig(), rest);
    case "dead-letters":
      return (await import("./runtime/roles/deadLetters.ts")).runDeadLetters(loadConfig(), rest);
    case "keys":
    case "projects":
    case "demo":
      return (await import("./runtime/roles/records.ts")).runRecords(loadConfig(), command, rest);
    case "help":
    case "--help":
    case undefined:
      console.log(USAGE);
      return 0;
    default:
      console.error(`unknown command "${command}"\n\n${USAGE}`);
      return 2;
  }
}

// What Weir writes is its user's alone.
process.umask(0o077);
try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  // What an operator can act on is one sentence; anything else is a defect and shows where.
  console.error(error instanceof WeirError ? `weir: ${describeError(error)}` : error);
  process.exit(1);
}
