import { invalidate } from "../../api/cache.ts";
import { formatBytes } from "../../format/bytes.ts";
import { formatCount, formatNumber } from "../../format/number.ts";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Equation, formatLag, LANE_WORDS, Lanes } from "./equation.tsx";
import { useInstallation } from "./figures.ts";
import { LANES } from "./steps.ts";
import type { Installation } from "./types.ts";

type Partition = Installation["partitions"][number];

/** Facts of all projects and of the machine, for admins. */
export function InstallationFacts() {
  const { data, error } = useInstallation();
  return (
    <section class="health-part" aria-labelledby="health-installation">
      <header>
        <h2 id="health-installation">The installation</h2>
        <p>
          All projects together, as <code>weir status</code> prints it. Admins alone see this part.
        </p>
      </header>
      {error !== undefined && <Problem error={error} onRetry={() => invalidate("health/installation")} />}
      {data === undefined && error === undefined && <Skeleton heightPx={240} />}
      {data !== undefined && (
        <div class={error === undefined ? undefined : "health-old"}>
          <Facts installation={data} />
        </div>
      )}
    </section>
  );
}

/** A failure of compaction is shown for so long. */
const RECENT_MS = 3_600_000;

function Facts({ installation }: { installation: Installation }) {
  const { events, partitions, set_aside, compaction_failures } = installation;
  const failed = compaction_failures.filter(({ last_at_ms }) => last_at_ms > Date.now() - RECENT_MS);
  return (
    <div class="health-stack">
      {events !== null && <Equation label="Events of all projects" figures={events} />}
      {set_aside.length > 0 && (
        <p class="health-warn">
          {formatCount(set_aside.length, "file")} quarantined, because compaction failed on{" "}
          {set_aside.length === 1 ? "it" : "them"}: <code>{set_aside.join(", ")}</code>
        </p>
      )}
      {failed.map(({ kind, failures, last_error }) => (
        <p key={kind} class="health-warn">
          Compaction ({kind}) failed within the last hour, {formatCount(failures, "time")} so far:{" "}
          <code>{last_error}</code>
        </p>
      ))}
      <Machine installation={installation} />
      <div class="health-pair">
        {events !== null && <Lanes label="Lanes of all projects" lanes={events.lanes} />}
        <Table
          label="Files"
          columns={FILE_COLUMNS}
          rows={installation.files}
          keyOf={({ kind, state }) => `${kind} ${state}`}
          nothing="No file yet"
        />
      </div>
      <Partitions partitions={partitions} />
    </div>
  );
}

function Machine({ installation }: { installation: Installation }) {
  const { members, disk, versions, generation, state, outbox, queued, dead_letters } = installation;
  const used = disk.total_bytes === 0 ? 0 : 1 - disk.free_bytes / disk.total_bytes;
  const facts: [string, string][] = [
    ["Workers", formatNumber(members.length)],
    ["Waiting", `${formatCount(queued.events, "event")}, ${formatLag(queued.lag_ms)}`],
    ["Set aside", formatNumber(dead_letters)],
    ["Messages to send", formatNumber(outbox)],
    ["Streams", generation === null ? state : `generation ${generation}, ${state}`],
    [
      "Disk",
      `${formatBytes(disk.free_bytes)} free of ${formatBytes(disk.total_bytes)} (${Math.round(used * 100)}% used)`,
    ],
    ["Weir", versions.weir],
    ["NATS", versions.broker ?? "unknown"],
    ["Bun", versions.bun],
    ["Records in", versions.store === "sqlite" ? "SQLite" : "PostgreSQL"],
  ];
  return (
    <dl class="health-facts" aria-label="Machine and versions">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  events: "Events",
  log: "Persons and groups",
  roster: "Numbers of persons",
};

type FileRow = Installation["files"][number];

const FILE_COLUMNS: readonly Column<FileRow>[] = [
  {
    key: "kind",
    label: "Files",
    cell: ({ kind, state }) => `${KINDS[kind] ?? kind}${state === "live" ? "" : `, ${state}`}`,
  },
  { key: "count", label: "Number", isNumber: true, cell: ({ count }) => formatNumber(count) },
  { key: "rows", label: "Rows", isNumber: true, cell: ({ rows }) => formatNumber(rows) },
  { key: "size", label: "Size", isNumber: true, cell: ({ sizeBytes }) => formatBytes(sizeBytes) },
];

/** Who works on the partitions; opened where one has nobody, or is tried event by event. */
function Partitions({ partitions }: { partitions: readonly Partition[] }) {
  const alone = partitions.filter(({ alive }) => !alive).length;
  const careful = partitions.filter(({ lanes }) => LANES.some((lane) => lanes[lane].attempts >= CAREFUL)).length;
  const words = [
    formatCount(partitions.length, "partition"),
    alone === 0 ? "each has a worker" : `${formatNumber(alone)} without a worker`,
    ...(careful === 0 ? [] : [`${formatNumber(careful)} tried event by event`]),
  ];
  return (
    <details class="health-partitions" open={alone + careful > 0}>
      <summary>{words.join(", ")}</summary>
      <Table
        label="Partitions"
        columns={PARTITION_COLUMNS}
        rows={partitions}
        keyOf={({ partition }) => partition}
        nothing="No event stream is open yet"
      />
    </details>
  );
}

/** So many claims without a commit: something in it may kill workers. */
const CAREFUL = 3;

const behindOf = ({ lanes }: Partition): number =>
  LANES.reduce((sum, lane) => sum + Math.max(0, lanes[lane].last - lanes[lane].position), 0);

const PARTITION_COLUMNS: readonly Column<Partition>[] = [
  {
    key: "partition",
    label: "Partition",
    cell: ({ partition }) => String(partition),
    sortBy: ({ partition }) => partition,
  },
  {
    key: "owner",
    label: "Worker",
    cell: ({ owner, alive }) => (owner === null ? "none" : alive ? owner : `${owner} (gone)`),
    sortBy: ({ owner }) => owner,
  },
  {
    key: "epoch",
    label: "Epoch",
    isNumber: true,
    cell: ({ epoch }) => formatNumber(epoch),
    sortBy: ({ epoch }) => epoch,
  },
  {
    key: "behind",
    label: "Lanes behind",
    cell: ({ lanes }) =>
      LANES.filter((lane) => lanes[lane].last > lanes[lane].position)
        .map((lane) => LANE_WORDS[lane][0])
        .join(", ") || "none",
    sortBy: behindOf,
  },
  {
    key: "careful",
    label: "Tried one by one",
    cell: ({ lanes }) =>
      LANES.filter((lane) => lanes[lane].attempts >= CAREFUL)
        .map((lane) => LANE_WORDS[lane][0])
        .join(", ") || "no",
  },
];
