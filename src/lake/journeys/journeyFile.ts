import { TerminalError } from "../../types/mod.ts";
import { type Journey, MAX_KINDS } from "./journey.ts";

const MAGIC = "WEIRJRNY";
const VERSION = 2;
/** Magic, version, length of the head. */
const HEAD_AT = 16;
/** Every column begins at a multiple of it. */
const ALIGNMENT = 8;

/** Bytes of a time and of an event's place. */
interface Widths {
  time: 4 | 8;
  event: 1 | 2;
}

interface Head {
  teamId: number;
  rowCount: number;
  personCount: number;
  baseMs: number;
  widths: Widths;
  names: string[];
  modes: number[];
  counts: number[];
}

/** A column by its length and the bytes of one value, in the order of the file. */
const columnsOf = ({ rowCount, personCount, widths }: Head) => ({
  persons: [personCount, 4],
  starts: [personCount + 1, 4],
  offsetsMs: [rowCount, widths.time],
  events: [rowCount, widths.event],
  rows: [rowCount, 4],
});
type ColumnName = keyof ReturnType<typeof columnsOf>;

/**
 * The journey in the bytes of `<id>.journey`. Its columns are views of them, unless the bytes
 * begin at another place of their buffer than a multiple of 8.
 * Throws TerminalError `journey_unreadable` for bytes that are none: another magic or version, lengths that do not add up.
 */
export function openJourney(bytes: Uint8Array): Journey {
  const source = bytes.byteOffset % ALIGNMENT === 0 ? bytes : bytes.slice();
  const { head, end } = readHead(source);
  const { rowCount, baseMs, names, modes, counts, widths } = head;
  const places = placesOf(head, end);
  if (places.end !== source.length) throw unreadable(`${source.length} bytes where there should be ${places.end}`);
  const { buffer, byteOffset } = source;
  const at = (name: ColumnName) => [buffer, byteOffset + places.at[name], columnsOf(head)[name][0]] as const;
  const starts = new Uint32Array(...at("starts"));
  if (starts[0] !== 0 || starts[head.personCount] !== rowCount) throw unreadable("persons have other rows");
  return {
    rowCount,
    names,
    modes,
    counts,
    persons: new Uint32Array(...at("persons")),
    starts,
    baseMs,
    offsetsMs: widths.time === 4 ? new Uint32Array(...at("offsetsMs")) : new Float64Array(...at("offsetsMs")),
    events: widths.event === 1 ? new Uint8Array(...at("events")) : new Uint16Array(...at("events")),
    rows: new Uint32Array(...at("rows")),
  };
}

/** The project whose events a journey holds. Throws TerminalError `journey_unreadable`. */
export function journeyProject(bytes: Uint8Array): number {
  return readHead(bytes).head.teamId;
}

/** The bytes of a file that holds this journey of a project, in pieces that follow each other; those of the columns are not copied. */
export function journeyParts(teamId: number, journey: Journey): Uint8Array[] {
  const { rowCount, names, modes, counts, baseMs } = journey;
  const widths = { time: journey.offsetsMs.BYTES_PER_ELEMENT, event: journey.events.BYTES_PER_ELEMENT } as Widths;
  const personCount = journey.persons.length;
  const head: Head = { teamId, rowCount, personCount, baseMs, widths, names, modes, counts };
  const json = Buffer.from(JSON.stringify(head));
  const start = Buffer.alloc(HEAD_AT);
  start.write(MAGIC, "latin1");
  start.writeUInt32LE(VERSION, MAGIC.length);
  start.writeUInt32LE(json.length, MAGIC.length + 4);
  const parts: Uint8Array[] = [start, json];
  let length = HEAD_AT + json.length;
  for (const name of Object.keys(columnsOf(head)) as ColumnName[]) {
    const { buffer, byteOffset, byteLength } = journey[name];
    const padding = aligned(length) - length;
    parts.push(new Uint8Array(padding), new Uint8Array(buffer, byteOffset, byteLength));
    length += padding + byteLength;
  }
  return parts;
}

/** The head, and where it ends. */
function readHead(bytes: Uint8Array): { head: Head; end: number } {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < HEAD_AT || view.toString("latin1", 0, MAGIC.length) !== MAGIC) throw unreadable("no journey");
  const version = view.readUInt32LE(MAGIC.length);
  if (version !== VERSION) throw unreadable(`version ${version}, not ${VERSION}`);
  const end = HEAD_AT + view.readUInt32LE(MAGIC.length + 4);
  if (end > view.length) throw unreadable("cut short in its head");
  const head = parseHead(view.toString("utf8", HEAD_AT, end));
  if (!isWhole(head)) throw unreadable("its head says what cannot be");
  return { head, end };
}

function parseHead(text: string): Partial<Head> {
  try {
    return Object(JSON.parse(text));
  } catch (cause) {
    throw unreadable("its head is no JSON", { cause });
  }
}

function isWhole(head: Partial<Head>): head is Head {
  const { teamId, rowCount, personCount, baseMs, widths, names, modes, counts } = head;
  const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
  if (![teamId, rowCount, personCount].every(isCount) || !Number.isSafeInteger(baseMs)) return false;
  if (!(widths?.time === 4 || widths?.time === 8) || !(widths.event === 1 || widths.event === 2)) return false;
  if (!Array.isArray(names) || !Array.isArray(modes) || !Array.isArray(counts)) return false;
  if (names.length > MAX_KINDS || modes.length !== names.length || counts.length !== names.length) return false;
  const areKinds = names.every((name) => typeof name === "string") && modes.every(isCount);
  return areKinds && counts.every(isCount) && counts.reduce((sum, count) => sum + count, 0) === rowCount;
}

/** Where each column begins, and where the last one ends. */
function placesOf(head: Head, headEnd: number): { at: Record<ColumnName, number>; end: number } {
  const at: Partial<Record<ColumnName, number>> = {};
  let end = headEnd;
  for (const [name, [length, width]] of Object.entries(columnsOf(head)) as [ColumnName, [number, number]][]) {
    at[name] = aligned(end);
    end = at[name] + length * width;
  }
  return { at: at as Record<ColumnName, number>, end };
}

const aligned = (at: number): number => Math.ceil(at / ALIGNMENT) * ALIGNMENT;

function unreadable(detail: string, options?: ErrorOptions): TerminalError {
  return new TerminalError("journey_unreadable", `not the file of a journey: ${detail}`, options);
}
