import type { Config } from "../config.ts";
import {
  diskRoom,
  type IngestionStatus,
  type InstallationStatus,
  type PartitionStatus,
  readInstallation,
} from "../health/mod.ts";
import { openCatalog } from "../lake/mod.ts";
import { brokerAddress } from "../roles/urls.ts";
import { connectBus } from "../stream/mod.ts";
import { LANES } from "../types/mod.ts";
import type { Arguments } from "./kit/command.ts";
import { asideLines } from "./kit/output.ts";
import type { Deed } from "./kit/records.ts";

/** `weir status`: partitions, owners, epochs, lag, files. The deed throws TerminalError `no_broker`, `no_data_folder`. */
export function lookAtStatus({ options }: Arguments<{ json: "flag" }>, config: Config): Deed {
  return async (db) => {
    const disk = await diskRoom(config.dataDir);
    const bus = await connectBus(brokerAddress(config), { name: "weir-status" });
    try {
      const status = await readInstallation({ bus, catalog: openCatalog(db), queue: null, disk }, Date.now());
      return { text: options.json ? JSON.stringify(status) : shown(status) };
    } finally {
      await bus.close();
    }
  };
}

function shown(status: InstallationStatus): string {
  const { generation, state, members, partitions, events, queued, files, set_aside, dead_letters, outbox } = status;
  const failed = status.compaction_failures;
  const jobs = status.compactions;
  const live = files.filter((file) => file.state === "live");
  return [
    `generation ${generation ?? "none"} (${state}), ${members.length} workers`,
    ...(events === null ? [] : [equation(events)]),
    `queued ${queued.events} events, the oldest for ${(queued.lag_ms / 1000).toFixed(1)} s`,
    ...live.map(({ kind, count, sizeBytes, rows }) => {
      return `${kind}: ${count} files, ${(sizeBytes / 2 ** 20).toFixed(1)} MiB, ${rows} rows`;
    }),
    ...asideLines(set_aside),
    ...jobs.map(({ compactor, kind, files }) => `compaction: ${compactor} works on ${files} files (${kind})`),
    ...failed.map(failureLine),
    `dead letters ${dead_letters}, outbox ${outbox}`,
    "",
    "partition  owner                         epoch  frames behind by lane",
    ...partitions.map(line),
  ].join("\n");
}

function equation({ accepted, queued, stored, duplicates, dropped, dead_letters }: IngestionStatus): string {
  const parts = [
    `${queued} queued`,
    `${stored} stored`,
    `${duplicates} duplicates`,
    `${dropped} dropped`,
    `${dead_letters} dead letters`,
  ];
  return `accepted ${accepted} events = ${parts.join(" + ")}`;
}

type Failures = InstallationStatus["compaction_failures"][number];

function failureLine({ kind, failures, last_at_ms, last_error }: Failures): string {
  const at = new Date(last_at_ms).toISOString().slice(0, 19);
  return `compaction failed ${failures} times (${kind}), last at ${at}Z: ${last_error.split("\n", 1)[0]}`;
}

function line({ partition, owner, alive, epoch, lanes }: PartitionStatus): string {
  const behind = LANES.filter((lane) => lanes[lane].last > lanes[lane].position);
  const careful = LANES.filter((lane) => lanes[lane].attempts >= 3).map((lane) => `${lane} in careful mode`);
  const state = owner === null ? "-" : `${owner}${alive ? "" : " (gone)"}`;
  const detail = [...behind.map((lane) => `${lane} at ${lanes[lane].position} of ${lanes[lane].last}`), ...careful];
  return `${String(partition).padStart(9)}  ${state.padEnd(28)}  ${String(epoch).padStart(5)}  ${detail.join(", ") || "none"}`;
}
