/** A part of a value that differs between two of its states. */
export interface Difference {
  /** Where it is: names from the outside in; empty: the value itself. */
  path: readonly string[];
  before: unknown;
  after: unknown;
}

/** As many as one reads; the rest are not told apart. */
const MOST = 60;

type Members = Readonly<Record<string, unknown>>;

/** The smallest parts that two values differ in. Lists of records are matched by their ids, others by place; of plain lists each is one part. */
export function differences(before: unknown, after: unknown): readonly Difference[] {
  const found: Difference[] = [];
  collect([], before, after, found);
  return found;
}

function collect(path: readonly string[], before: unknown, after: unknown, found: Difference[]): void {
  if (found.length >= MOST || same(before, after)) return;
  const [old, now] = [membersOf(before), membersOf(after)];
  if (old === null || now === null) {
    found.push({ path, before, after });
    return;
  }
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    collect([...path, name], member(old, name), member(now, name), found);
  }
}

const member = (members: Members, name: string): unknown => (Object.hasOwn(members, name) ? members[name] : undefined);

/** The parts of an object, or of a list of objects, by what they are called; null: it is one thing. */
function membersOf(value: unknown): Members | null {
  if (typeof value !== "object" || value === null) return null;
  if (!Array.isArray(value)) return value as Members;
  if (!value.every((item) => typeof item === "object" && item !== null && !Array.isArray(item))) return null;
  const items = value as readonly Members[];
  const ids = items.map(({ id }) => id);
  const hasIds = ids.every((id) => typeof id === "number") && new Set(ids).size === ids.length;
  return Object.fromEntries(items.map((item, index) => [hasIds ? `#${ids[index]}` : String(index + 1), item]));
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A value in words: what people read of it. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined || value === "") return "nothing";
  if (value === true) return "yes";
  if (value === false) return "no";
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return "nothing";
    if (value.every((item) => typeof item !== "object" || item === null)) return value.map(textOf).join(", ");
    if (value.every(isNamed)) return value.map(({ id, name }) => name ?? `#${id}`).join(", ");
  }
  if (isNamed(value)) return value.name ?? `#${value.id}`;
  return JSON.stringify(value);
}

/** A record that is told by its id and its name alone. */
function isNamed(value: unknown): value is { id: number; name: string | null } {
  if (typeof value !== "object" || value === null) return false;
  return Object.keys(value).sort().join() === "id,name";
}
