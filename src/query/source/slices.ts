/** A process that answers also takes events: what is long is done in slices, and others have their turn in between. */
const SLICE_MS = 5;
const ROWS_PER_LOOK = 64;

/** Gives `body` a list in pieces, in order. */
async function inSlices<T>(list: readonly T[], body: (piece: readonly T[]) => void): Promise<void> {
  let sinceMs = performance.now();
  for (let i = 0; i < list.length; i += ROWS_PER_LOOK) {
    body(list.slice(i, i + ROWS_PER_LOOK));
    if (performance.now() - sinceMs < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    sinceMs = performance.now();
  }
}

/** As `list.map`. */
export async function mapInSlices<T, U>(list: readonly T[], one: (item: T) => U): Promise<U[]> {
  const made: U[] = [];
  await inSlices(list, (piece) => {
    for (const item of piece) made.push(one(item));
  });
  return made;
}

/** The same text as `JSON.stringify`, where an answer may have long lists as members, or as members of members. */
export async function jsonText(answer: object): Promise<string> {
  const members: string[] = [];
  for (const [key, value] of Object.entries(answer)) {
    const text = await memberText(value);
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(",")}}`;
}

async function memberText(value: unknown): Promise<string | undefined> {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (!Array.isArray(value)) return jsonText(value);
  const texts: string[] = [];
  await inSlices(value, (piece) => texts.push(JSON.stringify(piece).slice(1, -1)));
  return `[${texts.join(",")}]`;
}
