import { expandFirst } from "../../src/persons/mod.ts";
import type { IdentityRow, LogRow, PropertyRow, SeenRow, Version } from "../../src/types/mod.ts";
import type { ModelPerson, ModelTeam } from "./model.ts";

/**
 * Persons and groups of one project as a reader of the log finds them: every pair of rows is compared by protocol rule 19,
 * in plain loops. `typeOf` names a group type by its index.
 */
export function foldLog(rows: readonly LogRow[], typeOf: (index: number) => string): ModelTeam {
  const nodes = newestNodes(rows);
  const seen = rows.filter((row) => row.kind === "seen");
  const said = rows.flatMap((row) =>
    row.kind === "property" ? [row] : row.kind === "first" || row.kind === "earlier" ? expandFirst(row) : [],
  );
  const survivorOf = (personId: string) => nodes.get(personId)?.survivorId ?? personId;
  const idsOf = new Map<string, Set<string>>();
  const note = (personId: string, distinctId: string) => {
    const survivor = survivorOf(personId);
    idsOf.set(survivor, (idsOf.get(survivor) ?? new Set()).add(distinctId));
  };
  for (const { subject } of seen) if (subject.type === "person") note(subject.personId, subject.distinctId);
  for (const { subject } of said) if (subject.type === "person") note(subject.personId, subject.distinctId);
  for (const { personId, distinctId } of nodes.values()) note(personId, distinctId);
  const persons = [...idsOf].map(([survivor, ids]): ModelPerson => {
    const ages = [...Map.groupBy(seen, (row) => subjectName(row)).values()]
      .filter((own) => own[0]!.subject.type === "person" && survivorOf(personOf(own[0]!)) === survivor)
      .map((own) => own.reduce((a, b) => (older(b.version, a.version) ? b : a)).atMs);
    const own = said.filter((row) => row.subject.type === "person" && survivorOf(personOf(row)) === survivor);
    return {
      ids: [...ids].sort(),
      isIdentified: [...nodes.values()].some((node) => node.survivorId === survivor && node.isIdentified),
      createdAtMs: ages.length === 0 ? null : Math.min(...ages),
      properties: valuesOf(own, nodes),
    };
  });
  return { persons, groups: groupsOf(seen, said, typeOf) };
}

function newestNodes(rows: readonly LogRow[]): Map<string, IdentityRow> {
  const nodes = new Map<string, IdentityRow>();
  for (const row of rows) {
    if (row.kind !== "identity") continue;
    const known = nodes.get(row.personId);
    if (known === undefined || !older(row.version, known.version)) nodes.set(row.personId, row);
  }
  return nodes;
}

function groupsOf(seen: SeenRow[], said: PropertyRow[], typeOf: (index: number) => string): ModelTeam["groups"] {
  const groups: ModelTeam["groups"] = {};
  for (const own of Map.groupBy(seen, (row) => subjectName(row)).values()) {
    const { subject } = own[0]!;
    if (subject.type !== "group") continue;
    const first = own.reduce((a, b) => (older(b.version, a.version) ? b : a));
    const rows = said.filter((row) => subjectName(row) === subjectName(own[0]!));
    const name = `${typeOf(subject.index)}/${subject.key}`;
    groups[name] = { createdAtMs: first.atMs, properties: valuesOf(rows, new Map()) };
  }
  return groups;
}

function valuesOf(rows: PropertyRow[], nodes: Map<string, IdentityRow>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [key, own] of Map.groupBy(rows, (row) => row.key)) {
    let best: PropertyRow | null = null;
    for (const row of livingOf(own, nodes)) if (best === null || beats(row, best, nodes)) best = row;
    if (best !== null) values[key] = best.value;
  }
  return values;
}

/**
 * Rows that no unset has removed. What an event sets and unsets is there after it only if nothing was before
 * (docs/persons.md#properties).
 */
function livingOf(rows: PropertyRow[], nodes: Map<string, IdentityRow>): PropertyRow[] {
  let living: PropertyRow[] = [];
  const byEvent = [...Map.groupBy(rows, ({ version: v }) => `${v.tMs}/${v.source}/${v.ordinal}`).values()];
  for (const said of byEvent.sort(([a], [b]) => (older(a!.version, b!.version) ? -1 : 1))) {
    const unset = said.find((row) => row.op === "unset");
    const values = said.filter((row) => row.op !== "unset");
    const removed = unset === undefined ? [] : living.filter((row) => wereOne(row, unset, nodes));
    living = living.filter((row) => !removed.includes(row));
    if (removed.length === 0) living.push(...values);
  }
  return living;
}

/** Whether two rows' ids were in one person at the time of the second. */
function wereOne(row: PropertyRow, unset: PropertyRow, nodes: Map<string, IdentityRow>): boolean {
  return personAt(row, unset.version, nodes) === personAt(unset, unset.version, nodes);
}

function personAt(row: PropertyRow, at: Version, nodes: Map<string, IdentityRow>): string {
  let person = subjectName(row);
  if (row.subject.type !== "person") return person;
  person = row.subject.personId;
  for (const move of nodes.get(row.subject.personId)?.moves ?? []) {
    if (!older(at, { tMs: move.tMs, source: 0, ordinal: move.ordinal })) person = move.into;
  }
  return person;
}

/** Whether one value holds against another: by the merge at which their ids met, else by time. */
function beats(row: PropertyRow, other: PropertyRow, nodes: Map<string, IdentityRow>): boolean {
  const [mine, others] = [movesOf(row, nodes), movesOf(other, nodes)];
  // From the newest merge back: those that carried both are no matter.
  while (
    mine.length > 0 &&
    others.length > 0 &&
    mine.at(-1)!.ordinal === others.at(-1)!.ordinal &&
    mine.at(-1)!.tMs === others.at(-1)!.tMs
  ) {
    mine.pop();
    others.pop();
  }
  // Who is carried last stood on the source's side then.
  const [mineAt, othersAt] = [mine.at(-1), others.at(-1)];
  const carriedMs = (move: typeof mineAt): Version | null => (move === undefined ? null : { ...move, source: 0 });
  const [a, b] = [carriedMs(mineAt), carriedMs(othersAt)];
  if (a !== null && (b === null || older(b, a))) return !holdsAgainstSource(other, a);
  if (b !== null) return holdsAgainstSource(row, b);
  return holdsApart(row, other);
}

/** At a merge: the target's row against the source's, which is older than the merge. */
function holdsAgainstSource(target: PropertyRow, merge: Version): boolean {
  // A first value that came after the merge found something there.
  return older(target.version, merge) || target.op === "set";
}

/** In one person: a set beats a first value, the newest set and the oldest first value hold. */
function holdsApart(row: PropertyRow, other: PropertyRow): boolean {
  if (row.op !== other.op) return row.op === "set";
  return row.op === "set" ? older(other.version, row.version) : older(row.version, other.version);
}

/** The merges that carried a row, oldest first. */
function movesOf(row: PropertyRow, nodes: Map<string, IdentityRow>): { tMs: number; ordinal: number }[] {
  if (row.subject.type !== "person") return [];
  const moves = nodes.get(row.subject.personId)?.moves ?? [];
  return moves.filter((move) => older(row.version, { tMs: move.tMs, source: 0, ordinal: move.ordinal }));
}

function personOf(row: SeenRow | PropertyRow): string {
  return row.subject.type === "person" ? row.subject.personId : "";
}

function subjectName({ subject }: SeenRow | PropertyRow): string {
  return subject.type === "person" ? `p ${subject.personId}` : `g ${subject.index} ${subject.key}`;
}

function older(a: Version, b: Version): boolean {
  if (a.tMs !== b.tMs) return a.tMs < b.tMs;
  return a.source !== b.source ? a.source < b.source : a.ordinal < b.ordinal;
}
