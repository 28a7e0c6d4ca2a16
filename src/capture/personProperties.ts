import { EVENT, FIRST_PERSON_KEY, initialKeyName, PROPERTY, personKeyName } from "./keys.ts";
import { ENTRY, type Members, OPEN_ARRAY, OPEN_OBJECT } from "./outline.ts";
import type { PropertiesEdit } from "./propertiesEdit.ts";
import { members, printMembers } from "./scan.ts";

/** Their properties never describe the person. */
const WITHOUT_AUTOMATIC = new Set(["$snapshot", "$performance_event"]);

/**
 * Writes `$set` and `$set_once` of a full event: what stands beside `properties` wins over what stands in them, and what
 * the event's own properties say of the person comes last (reference: capture, 2.4).
 */
export function writePersonProperties(event: Members, name: string, timestampMs: number, edit: PropertiesEdit): void {
  const given = givenSet(event, EVENT.$set, PROPERTY.$set);
  const givenOnce = givenSet(event, EVENT.$set_once, PROPERTY.$set_once);
  const automatic = WITHOUT_AUTOMATIC.has(name) ? NOTHING : automaticSets(event, given, givenOnce);
  let { set } = automatic;
  if (name === "survey shown" && !given?.has("$survey_last_seen_date")) {
    set += `,"$survey_last_seen_date":"${new Date(timestampMs).toISOString()}"`;
  }
  writeSet(event, EVENT.$set, PROPERTY.$set, given, set, edit);
  writeSet(event, EVENT.$set_once, PROPERTY.$set_once, givenOnce, automatic.setOnce, edit);
}

const NOTHING = { set: "", setOnce: "" };

/** The members that the client gave, by name; null when there are none. */
function givenSet(event: Members, beside: number, inside: number): Map<string, string> | null {
  const inner = event.typeOf(inside) === OPEN_OBJECT ? members(event.raw(inside)) : null;
  if (event.typeOf(beside) !== OPEN_OBJECT) return inner;
  const merged = inner ?? new Map<string, string>();
  for (const [key, value] of members(event.raw(beside))) merged.set(key, value);
  return merged;
}

function writeSet(
  event: Members,
  beside: number,
  inside: number,
  given: Map<string, string> | null,
  automatic: string,
  edit: PropertiesEdit,
): void {
  if (automatic === "" && event.typeOf(beside) !== OPEN_OBJECT) return;
  edit.remove(inside);
  const name = inside === PROPERTY.$set ? "$set" : "$set_once";
  const own = given === null ? "" : printMembers(given);
  edit.add(`"${name}":{${own === "" ? automatic.slice(1) : own + automatic}}`);
}

/** Members for `$set` and `$set_once`, each with a comma before it. */
function automaticSets(
  event: Members,
  given: Map<string, string> | null,
  givenOnce: Map<string, string> | null,
): { set: string; setOnce: string } {
  let set = "";
  let setOnce = "";
  const take = (name: string, initialName: string, value: string) => {
    if (!given?.has(name)) set += `,"${name}":${value}`;
    if (!givenOnce?.has(initialName)) setOnce += `,"${initialName}":${value}`;
  };
  const { text, entries, from, to } = event;
  const isOwn = given === null && givenOnce === null;
  const twins = isOwn ? event.twins : null;
  for (let i = from; i < to; i += ENTRY) {
    const key = entries[i]!;
    if (key < FIRST_PERSON_KEY || !event.isLast(i)) continue;
    const last = isOwn ? endOfRun(event, i) : -1;
    if (last < 0) {
      take(personKeyName(key), initialKeyName(key), text.slice(entries[i + 2]!, entries[i + 3]!));
      continue;
    }
    const run = text.slice(entries[i + 1]!, entries[last + 3]!);
    set += `,${run}`;
    if (twins === null) setOnce += `,${initialRun(run)}`;
    i = last;
  }
  if (twins !== null) setOnce = twins;
  // Some SDKs have another name for it.
  if (event.has(PROPERTY.$os_name) && !hasPersonKey(event, "$os")) {
    take("$os", "$initial_os", event.raw(PROPERTY.$os_name));
  }
  return { set, setOnce };
}

/**
 * SDKs write these properties side by side, so that many can be taken as one text. Gives the last entry of the run that
 * begins with `entry`, or -1 when that is written in an unusual way.
 */
function endOfRun({ text, entries, to }: Members, entry: number): number {
  if (!isPlain(text, entries, entry)) return -1;
  let last = entry;
  for (let next = entry + ENTRY; next < to && entries[next + 1]! === entries[last + 3]! + 1; next += ENTRY) {
    if (entries[next]! < FIRST_PERSON_KEY || !isPlain(text, entries, next)) break;
    last = next;
  }
  return last;
}

/** Whether it reads `"$name":` and a value that is no array or object. */
function isPlain(text: string, entries: Int32Array, entry: number): boolean {
  const start = entries[entry + 1]!;
  const value = entries[entry + 2]!;
  if (text.charCodeAt(start + 1) !== DOLLAR) return false;
  if (value - start !== personKeyName(entries[entry]!).length + 3) return false;
  const type = text.charCodeAt(value);
  return type !== OPEN_OBJECT && type !== OPEN_ARRAY;
}

const DOLLAR = 0x24;

/** In a run, `,"$` can only begin a name: within a string a quote has a backslash before it. */
function initialRun(run: string): string {
  return `"$initial_${run.slice(2).replaceAll(',"$', ',"$initial_')}`;
}

function hasPersonKey(event: Members, name: string): boolean {
  for (let i = event.from; i < event.to; i += ENTRY) {
    const key = event.entries[i]!;
    if (key >= FIRST_PERSON_KEY && personKeyName(key) === name) return true;
  }
  return false;
}
