import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS, pause } from "../../types/mod.ts";
import type { Pressure, WeirClient } from "../sending/mod.ts";
import { Buckets, RowTable } from "../survey/mod.ts";
import { dayAt, isMadeAt, RECORD_BYTES, RECORD_WORDS, uuidAt } from "./record.ts";

/** Records that are in memory at once. */
const BUCKET_RECORDS = 500_000;
const PIECE_BYTES = RECORD_BYTES * 10_000;
/** uuids of one question. */
const ASKED_AT_ONCE = 20_000;
const LOOK_MS = 500;
const EXAMPLES_MAX = 10;

/** What the Weir has of the events of a kind that were sent. */
export interface Found {
  /** Events that it has from this import. */
  stored: number;
  /** Copies within what was sent, and events that it has from elsewhere. */
  duplicates: number;
  missing: number;
}

/** What the Weir has of what was sent. */
export interface Checked {
  /** Of the rows. */
  rows: Found;
  /** Of events that were made beside those of the rows. */
  made: Found;
  missingExamples: { uuid: string; day: string }[];
}

/** Waits until the Weir has settled everything that was taken so far. */
export async function settled(pressure: Pressure, signal: AbortSignal, tell: (queued: number) => void): Promise<void> {
  const since = performance.now();
  for (;;) {
    const askedAt = performance.now();
    const { queued, lag_ms: lagMs } = await pressure.look();
    // Nothing is queued, or only what came after us.
    if (queued === 0 || (lagMs > 0 && lagMs < askedAt - since)) return;
    tell(queued);
    await pause(LOOK_MS, signal);
  }
}

/** Sent events by bucket of their uuid. */
class Sent {
  private readonly buckets: Buckets;

  constructor(paths: readonly string[], scratch: string) {
    const there = paths.filter((path) => existsSync(path));
    const bytes = there.reduce((sum, path) => sum + statSync(path).size, 0);
    const count = Math.max(1, Math.min(256, Math.ceil(bytes / RECORD_BYTES / BUCKET_RECORDS)));
    this.buckets = new Buckets(join(scratch, "sent"), count);
    for (const path of there) this.fill(path);
    this.buckets.finish();
  }

  private fill(path: string): void {
    const file = openSync(path, "r");
    const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    try {
      for (let at = 0; ; ) {
        const read = readSync(file, piece, 0, PIECE_BYTES, at);
        if (read === 0) return;
        at += read;
        for (let from = 0; from + RECORD_BYTES <= read; from += RECORD_BYTES) {
          const bucket = piece[from + RECORD_BYTES - 1]! % this.buckets.count;
          this.buckets.add(bucket, RECORD_BYTES, (buffer, to) => piece.copy(buffer, to, from, from + RECORD_BYTES));
        }
      }
    } finally {
      closeSync(file);
    }
  }

  /** Each bucket's records, and the numbers of those that are the first of their kind. */
  *each(): Generator<{ bytes: Buffer; distinct: number[] }> {
    for (let bucket = 0; bucket < this.buckets.count; bucket++) {
      const bytes = this.buckets.read(bucket);
      const table = new RowTable(bytes, RECORD_WORDS, RECORD_WORDS);
      const distinct: number[] = [];
      for (let i = 0; i < table.length; i++) if (table.firstOf(i) === i) distinct.push(i);
      yield { bytes, distinct };
    }
  }

  remove(): void {
    this.buckets.remove();
  }
}

/**
 * Asks the Weir which of the sent events it has. Days of which it has as many from this import as were sent are whole: it keeps each
 * event once, and no one else writes this import's mark. The events of the other days are looked up by their uuids.
 */
export async function checkSent(
  weir: WeirClient,
  o: { paths: readonly string[]; scratch: string; importId: string; tell(done: number, all: number): void },
): Promise<Checked> {
  const none = (): Found => ({ stored: 0, duplicates: 0, missing: 0 });
  const checked: Checked = { rows: none(), made: none(), missingExamples: [] };
  const sent = new Sent(o.paths, o.scratch);
  try {
    const days = new Map<number, { rows: number; made: number }>();
    for (const { bytes, distinct } of sent.each()) {
      const kinds = { rows: 0, made: 0 };
      for (let i = 0; i < bytes.length / RECORD_BYTES; i++) kinds[kindAt(bytes, i)]++;
      for (const i of distinct) {
        const day = days.get(dayAt(bytes, i)) ?? { rows: 0, made: 0 };
        days.set(dayAt(bytes, i), day);
        day[kindAt(bytes, i)]++;
        kinds[kindAt(bytes, i)]--;
      }
      for (const kind of KINDS) checked[kind].duplicates += kinds[kind];
    }
    const found = await storedByDay(weir, o.importId, [...days.keys()]);
    const open = new Set<number>();
    let left = 0;
    for (const [day, { rows, made }] of days) {
      if (found.get(day) === rows + made) {
        checked.rows.stored += rows;
        checked.made.stored += made;
      } else {
        open.add(day);
        left += rows + made;
      }
    }
    if (open.size > 0) await lookUp(weir, sent, open, checked, { ...o, all: left });
    return checked;
  } finally {
    sent.remove();
  }
}

const KINDS = ["rows", "made"] as const;

const kindAt = (bytes: Buffer, record: number): (typeof KINDS)[number] => (isMadeAt(bytes, record) ? "made" : "rows");

const DAYS_AT_ONCE = 20_000;

/** How many events of the import the Weir has, by UTC day. */
async function storedByDay(weir: WeirClient, importId: string, days: readonly number[]): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  const [first, last] = [
    days.reduce((a, b) => Math.min(a, b), Infinity),
    days.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
  for (let from = first; from <= last; from += DAYS_AT_ONCE) {
    const rows = await weir.query(STORED_BY_DAY, {
      id: importId,
      from: timeOf(from),
      to: timeOf(Math.min(last + 1, from + DAYS_AT_ONCE)),
    });
    for (const [day, count] of rows) found.set(Number(day), Number(count));
  }
  return found;
}

const STORED_BY_DAY =
  "select floor(toUnixTimestamp(timestamp) / 86400) as day, count() as n from events " +
  "where timestamp >= toDateTime({from}) and timestamp < toDateTime({to}) and properties.$import_id = {id} group by day limit 50000";

const COUNTS =
  "select count() as found, countIf(properties.$import_id = {id}) as own from events " +
  "where timestamp >= toDateTime({from}) and timestamp < toDateTime({to}) and uuid in {uuids}";

const BY_UUID =
  "select toString(uuid) as id, count() as found, countIf(properties.$import_id = {id}) as own from events " +
  "where timestamp >= toDateTime({from}) and timestamp < toDateTime({to}) and uuid in {uuids} group by id limit 50000";

/** HogQL's text of a time at which a UTC day begins. */
const timeOf = (day: number): string => `${new Date(day * DAY_MS).toISOString().slice(0, 10)}T00:00:00Z`;

/** Looks up the events of the open days. */
async function lookUp(
  weir: WeirClient,
  sent: Sent,
  open: ReadonlySet<number>,
  checked: Checked,
  o: { importId: string; all: number; tell(done: number, all: number): void },
): Promise<void> {
  let done = 0;
  for (const { bytes, distinct } of sent.each()) {
    const wanted = distinct.filter((i) => open.has(dayAt(bytes, i))).sort((a, b) => dayAt(bytes, a) - dayAt(bytes, b));
    for (const kind of KINDS) {
      const all = wanted.filter((i) => kindAt(bytes, i) === kind);
      for (let at = 0; at < all.length; at += ASKED_AT_ONCE) {
        const some = all.slice(at, at + ASKED_AT_ONCE).map((i) => ({ uuid: uuidAt(bytes, i), day: dayAt(bytes, i) }));
        await lookUpSome(weir, some, { id: o.importId, found: checked[kind], examples: checked.missingExamples });
        done += some.length;
        o.tell(done, o.all);
      }
    }
  }
}

/** Events in the order of their days. */
async function lookUpSome(
  weir: WeirClient,
  some: readonly { uuid: string; day: number }[],
  { id, found, examples }: { id: string; found: Found; examples: Checked["missingExamples"] },
): Promise<void> {
  const values = {
    id,
    from: timeOf(some[0]!.day),
    to: timeOf(some.at(-1)!.day + 1),
    uuids: [...new Set(some.map(({ uuid }) => uuid))],
  };
  const [[there, own] = []] = await weir.query(COUNTS, values);
  if (Number(there) === some.length) {
    found.stored += Number(own);
    found.duplicates += some.length - Number(own);
    return;
  }
  // Uuid by uuid: some are missing, or are there with another name or day.
  const rows = await weir.query(BY_UUID, values);
  const left = new Map(rows.map(([uuid, all, mine]) => [String(uuid), { all: Number(all), own: Number(mine) }]));
  for (const { uuid, day } of some) {
    const known = left.get(uuid);
    if (known === undefined || known.all === 0) {
      found.missing++;
      if (examples.length < EXAMPLES_MAX) examples.push({ uuid, day: timeOf(day).slice(0, 10) });
      continue;
    }
    known.all--;
    if (known.own > 0) {
      known.own--;
      found.stored++;
    } else found.duplicates++;
  }
}
