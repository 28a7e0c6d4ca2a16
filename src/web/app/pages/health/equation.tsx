import { formatDuration, formatNumber } from "../../format/number.ts";
import { type Column, Table } from "../../ui/table.tsx";
import { LANES, type LaneName } from "./steps.ts";
import type { Status } from "./types.ts";

type Figures = Omit<Status, "refusal" | "front">;

const PARTS = [
  ["queued", "Queued", "waits to be stored"],
  ["stored", "Stored", "in every answer"],
  ["duplicates", "Duplicates", "sent more than once"],
  ["dropped", "Dropped", "could not be taken"],
  ["dead_letters", "Dead letters", "set aside"],
] as const;

/** accepted = queued + stored + duplicates + dropped + dead letters, as it is at one moment. */
export function Equation({ label, figures }: { label: string; figures: Figures }) {
  return (
    <dl class="equation" aria-label={label}>
      <Term name="Accepted" value={figures.accepted} about="with a 200" sign="" />
      {PARTS.map(([key, name, about], index) => (
        <Term key={key} name={name} value={figures[key]} about={about} sign={index === 0 ? "=" : "+"} />
      ))}
    </dl>
  );
}

function Term({ name, value, about, sign }: { name: string; value: number; about: string; sign: string }) {
  return (
    <div class="term">
      <span class="term-sign" aria-hidden="true">
        {sign}
      </span>
      <dt>{name}</dt>
      <dd>{formatNumber(value)}</dd>
      <small aria-hidden="true">{about}</small>
    </div>
  );
}

export const LANE_WORDS: Readonly<Record<LaneName, [name: string, about: string]>> = {
  live: ["Live", "Events as they come"],
  history: ["History", "Events of migrations; they never delay live ones"],
  overflow: ["Overflow", "Events of ids that send too fast"],
  identity: ["Identity", "Events whose persons are being merged"],
};

interface LaneRow {
  lane: LaneName;
  queued: number;
  lagMs: number;
}

const LANE_COLUMNS: readonly Column<LaneRow>[] = [
  { key: "lane", label: "Lane", cell: ({ lane }) => <span title={LANE_WORDS[lane][1]}>{LANE_WORDS[lane][0]}</span> },
  { key: "queued", label: "Waiting", isNumber: true, cell: ({ queued }) => formatNumber(queued) },
  { key: "lag", label: "Lag", isNumber: true, cell: ({ lagMs }) => formatLag(lagMs) },
];

/** What waits on each lane, and for how long. */
export function Lanes({ label, lanes }: { label: string; lanes: Figures["lanes"] }) {
  const rows = LANES.map((lane) => ({ lane, queued: lanes[lane].queued, lagMs: lanes[lane].lag_ms }));
  return <Table label={label} columns={LANE_COLUMNS} rows={rows} keyOf={({ lane }) => lane} />;
}

/** Whole seconds from ten on: it changes while one reads. */
export const formatLag = (ms: number): string => formatDuration(ms >= 10_000 ? Math.round(ms / 1000) : ms / 1000);

type Cause = readonly [cause: string, events: number];

const CAUSE_COLUMNS: readonly Column<Cause>[] = [
  { key: "cause", label: "Dropped because", cell: ([cause]) => inWords(cause) },
  { key: "events", label: "Events", isNumber: true, cell: ([, events]) => formatNumber(events) },
];

/** Why events were dropped, the most frequent reason first. */
export function Causes({ causes }: { causes: Status["dropped_by_cause"] }) {
  const rows = Object.entries(causes).toSorted(([, a], [, b]) => b - a);
  if (rows.length === 0) return null;
  return <Table label="Dropped, by cause" columns={CAUSE_COLUMNS} rows={rows} keyOf={([cause]) => cause} />;
}

/** A code as words: `missing_event_name` is "missing event name". */
export const inWords = (code: string): string => code.replaceAll("_", " ");
