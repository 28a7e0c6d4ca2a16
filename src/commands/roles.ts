import { setLogForm } from "../roles/log.ts";
import { type Command, command, type Description } from "./kit/command.ts";

const SHARED = `It needs a Weir that was started once: with WEIR_DATA_DIR beside \`weir start\`, or with NATS_URL and DATABASE_URL from any machine
that reaches the files.`;

/** A command that is a process: what it writes to standard error is the log. */
function role(description: Pick<Description<Record<never, never>>, "name" | "summary" | "usage" | "run">): Command {
  return command({
    ...description,
    run: (given, config) => {
      setLogForm(config.logForm);
      return description.run(given, config);
    },
  });
}

/** Processes that run until SIGINT or SIGTERM. */
export const ROLES = [
  role({
    name: "start",
    summary: "run everything on this machine",
    usage: `usage: weir start

Runs everything on this machine until Ctrl-C: the broker, the front, the management API, workers, the compactor and an
exporter. It makes the data folder and the first keys where there are none, and prints the address of Weir and the first steps.

Settings are environment variables, which docs/settings.md lists. The most used:
  WEIR_PORT      port to listen on (8000)
  WEIR_DATA_DIR  everything Weir keeps`,
    run: async (_given, config) => (await import("../roles/start.ts")).runStart(config),
  }),
  role({
    name: "front",
    summary: "run the front: takes events on the port, and hands other requests on to the api",
    usage: `usage: weir front\n\nTakes events on WEIR_HOST and WEIR_PORT, and hands other requests on to \`weir api\`. ${SHARED}`,
    run: async (_given, config) => (await import("../roles/front.ts")).runFront(config),
  }),
  role({
    name: "api",
    summary: "run the management API",
    usage: `usage: weir api\n\nAnswers the management API, for a front on the same data folder. ${SHARED}`,
    run: async (_given, config) => (await import("../roles/api.ts")).runApi(config),
  }),
  role({
    name: "worker",
    summary: "run one worker against a shared broker and record store",
    usage: `usage: weir worker\n\nTakes its share of the partitions and stores their events. ${SHARED}`,
    run: async (_given, config) => {
      const { ACTORS } = await import("../../actors/mod.ts");
      return (await import("../roles/worker.ts")).runWorker(config, ACTORS);
    },
  }),
  role({
    name: "compactor",
    summary: "run one compactor",
    usage: `usage: weir compactor\n\nMerges many small files into few large ones. Several compactors share the work. ${SHARED}`,
    run: async (_given, config) => (await import("../roles/compactor.ts")).runCompactor(config),
  }),
  role({
    name: "exporter",
    summary: "run batch exports",
    usage: `usage: weir exporter\n\nWrites the rows of batch exports to their destinations, one run at a time. ${SHARED}`,
    run: async (_given, config) => (await import("../roles/exporter.ts")).runExporter(config),
  }),
  role({
    name: "query",
    summary: "calculate queries for api processes on any machine, and background queries",
    usage: `usage: weir query\n\nCalculates what api processes on any machine are asked, and background queries. Several share the projects. ${SHARED}`,
    run: async (_given, config) => (await import("../roles/query.ts")).runQueryRole(config),
  }),
];
