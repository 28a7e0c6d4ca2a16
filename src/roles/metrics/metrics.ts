import { readFileSync } from "node:fs";
import type { InstallationStatus, PartitionStatus } from "../../health/mod.ts";
import type { Intake } from "../../intake/intake.ts";
import { BucketStore, type Catalog, COMMIT_STEPS_MS, type CommitTimes, type SegmentStore } from "../../lake/mod.ts";
import type { Queries } from "../../manage/mod.ts";
import { outboxFigures } from "../../metadata/mod.ts";
import type { Db } from "../../store/mod.ts";
import { type Lane, WeirError } from "../../types/mod.ts";
import { Exposition, type Sample } from "./exposition.ts";
import type { QueryTimes } from "./queryTimes.ts";

interface MetricsParts {
  db: Db;
  catalog: Catalog;
  /** Of the query processes of this process. */
  storage: SegmentStore;
  intake: Pick<Intake, "installation" | "refusal" | "silence">;
  queryTimes: QueryTimes;
  queries: Pick<Queries, "cacheUse" | "remote">;
  /** Processes that `weir start` runs on this machine, itself included. */
  processes(): { name: string; pid: number | null }[];
}

/** Not a child of `weir start`, or one of the api process. */
const isChild = (name: string): boolean => name !== "main" && !name.startsWith("query-");

/** The answer of `/metrics`, in Prometheus' text format. While the broker is away what it knows is left out. */
export async function metricsText(parts: MetricsParts): Promise<string> {
  const { db, catalog, intake, queryTimes } = parts;
  const out = new Exposition();
  const totals = await catalog.settledTotals();
  out.counter(
    "weir_events_settled_total",
    "Events that have been settled, by outcome.",
    totals.map(({ outcome, events }): Sample => [{ outcome }, events]),
  );
  const { liveSegments, segmentsAside, duplicatesMet } = await catalog.lakeFacts();
  out.gauge("weir_segments_live", "Files that queries read.", liveSegments);
  out.gauge(
    "weir_segments_set_aside",
    "Files that compaction leaves alone for a while, because a job failed on them or its compactor was killed.",
    segmentsAside,
  );
  out.counter(
    "weir_stored_duplicates_total",
    "Copies that compaction found among stored events; anything but 0 is a defect.",
    duplicatesMet,
  );
  exposeCommits(out, await catalog.commitTimes());
  const messages = await db.read((tx) => outboxFigures(tx, null));
  out.gauge(
    "weir_messages_waiting",
    "Messages of alerts and subscriptions that are not delivered yet.",
    messages.waiting,
  );
  out.gauge("weir_messages_failing", "Those of them of which a try has failed.", messages.failing);
  exposeProcesses(out, parts.processes());
  const isAccepting = intake.refusal() === null && intake.silence() === null;
  out.gauge("weir_accepting", "Whether events are accepted now.", isAccepting ? 1 : 0);
  const status = await installationOf(intake);
  out.gauge("weir_broker_up", "Whether the broker answers.", status === null ? 0 : 1);
  if (status !== null) exposeInstallation(out, status);
  const { cacheUse, remote } = parts.queries;
  queryTimes.expose(out, (await remote?.facts()) ?? new Map());
  if (remote !== null) exposeRemote(out, remote);
  const { hits, misses } = cacheUse;
  out.counter("weir_query_cache_total", "Questions to this api process, by whether a kept result answered them.", [
    [{ outcome: "hit" }, hits],
    [{ outcome: "miss" }, misses],
  ]);
  if (parts.storage instanceof BucketStore) exposeCache(out, parts.storage);
  return out.toString();
}

function exposeRemote(out: Exposition, { processes, waiting, use }: NonNullable<Queries["remote"]>): void {
  out.gauge("weir_remote_query_processes", "`weir query` processes that this api process can ask.", processes);
  out.gauge("weir_remote_queries", "Questions of this api process that they have in hand.", waiting);
  out.counter(
    "weir_remote_queries_total",
    "Answered by them; calculated here because all were full; tries that brought no answer.",
    Object.entries(use).map(([outcome, count]): Sample => [{ outcome }, count]),
  );
}

function exposeCache(out: Exposition, { cache }: BucketStore): void {
  const { hits, fetched, fetchedBytes } = cache.stats;
  out.counter("weir_cache_files_total", "Files of a bucket that queries of this machine needed, by where they were.", [
    [{ from: "cache" }, hits],
    [{ from: "bucket" }, fetched],
  ]);
  out.counter("weir_cache_fetched_bytes_total", "Bytes of those that were fetched.", fetchedBytes);
}

async function installationOf(intake: MetricsParts["intake"]): Promise<InstallationStatus | null> {
  try {
    return await intake.installation();
  } catch (error) {
    if (error instanceof WeirError) return null;
    throw error;
  }
}

function exposeInstallation(out: Exposition, status: InstallationStatus): void {
  exposeQueue(out, status);
  exposeFiles(out, status);
}

function exposeQueue(out: Exposition, { events, partitions, members, dead_letters }: InstallationStatus): void {
  const lanes = Object.entries(events?.lanes ?? {});
  out.counter("weir_events_accepted_total", "Events that were answered with 200.", events?.accepted ?? 0);
  out.gauge(
    "weir_events_queued",
    "Accepted and not settled.",
    lanes.map(([lane, { queued }]): Sample => [{ lane }, queued]),
  );
  out.gauge(
    "weir_lag_seconds",
    "Age of the oldest event that is not settled.",
    lanes.map(([lane, { lag_ms }]): Sample => [{ lane }, lag_ms / 1000]),
  );
  out.counter(
    "weir_frames_total",
    "Frames of events that the broker has stored, in this generation of streams.",
    lanes.map(([lane]): Sample => [{ lane }, framesOf(partitions, lane as Lane)]),
  );
  const behind = partitions.flatMap(({ partition, lanes }) =>
    Object.entries(lanes).map(
      ([lane, { position, last }]): Sample => [{ lane, partition }, Math.max(0, last - position)],
    ),
  );
  out.gauge(
    "weir_partition_lag_seconds",
    "Age of the oldest frame of a partition that is not settled; 0: all is stored.",
    partitions.flatMap(({ partition, lanes }) =>
      Object.entries(lanes).map(([lane, { lag_ms }]): Sample => [{ lane, partition }, lag_ms / 1000]),
    ),
  );
  // Sequences count all partitions of a lane, so this is an upper bound.
  out.gauge(
    "weir_sequences_behind",
    "Between the committed position and the last frame of a partition; 0: all is stored.",
    behind,
  );
  out.gauge(
    "weir_partitions_without_owner",
    "Whose owner is not alive.",
    partitions.filter(({ alive }) => !alive).length,
  );
  out.gauge("weir_workers", "Workers that are alive.", members.length);
  out.gauge("weir_dead_letters", "Events in quarantine that were not sent in again.", dead_letters);
}

function exposeFiles(out: Exposition, { files, disk, compactions, compaction_failures }: InstallationStatus): void {
  out.gauge(
    "weir_files",
    "Files by kind and state.",
    files.map(({ kind, state, count }): Sample => [{ kind, state }, count]),
  );
  out.gauge(
    "weir_files_bytes",
    "Their size.",
    files.map(({ kind, state, sizeBytes }): Sample => [{ kind, state }, sizeBytes]),
  );
  const kinds = Map.groupBy(compactions, ({ kind }) => kind);
  out.gauge(
    "weir_compactions_running",
    "Jobs of compactors under way, by kind.",
    [...kinds].map(([kind, jobs]): Sample => [{ kind }, jobs.length]),
  );
  out.gauge(
    "weir_compactors_working",
    "Compactors that have a job.",
    new Set(compactions.map(({ compactor }) => compactor)).size,
  );
  out.counter(
    "weir_compaction_failures_total",
    "Failures of compaction, by kind of work. Failed work is tried again.",
    compaction_failures.map(({ kind, failures }): Sample => [{ kind }, failures]),
  );
  out.gauge("weir_disk_free_bytes", "Of the disk of the data folder.", disk.free_bytes);
  out.gauge("weir_disk_bytes", "Its size.", disk.total_bytes);
}

/** A lane is one stream, so the highest sequence of its partitions counts them all. */
const framesOf = (partitions: readonly PartitionStatus[], lane: Lane): number =>
  Math.max(0, ...partitions.map(({ lanes }) => lanes[lane].last));

function exposeCommits(out: Exposition, { commits, sumMs }: CommitTimes): void {
  const ends = [...COMMIT_STEPS_MS.map((endMs) => String(endMs / 1000)), "+Inf"];
  let count = 0;
  const buckets = ends.map((le, step): [string, ...Sample] => {
    count += commits[step]!;
    return ["bucket", { le }, count];
  });
  out.histogram("weir_commit_duration_seconds", "Time of the transactions that store events, of all workers.", [
    ...buckets,
    ["sum", {}, sumMs / 1000],
    ["count", {}, count],
  ]);
}

function exposeProcesses(out: Exposition, processes: { name: string; pid: number | null }[]): void {
  out.gauge(
    "weir_children_running",
    "Processes that `weir start` runs on this machine, without itself and the query processes.",
    processes.filter(({ name }) => isChild(name)).length,
  );
  const resident = processes.flatMap(({ name, pid }): Sample[] => {
    const bytes = pid === null ? null : residentBytes(pid);
    return bytes === null ? [] : [[{ process: name }, bytes]];
  });
  out.gauge("weir_process_resident_bytes", "Memory of each process of this machine.", resident);
}

/** Null for a process that has ended. */
function residentBytes(pid: number): number | null {
  try {
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kib === undefined ? null : Number(kib) * 1024;
  } catch {
    return null;
  }
}
