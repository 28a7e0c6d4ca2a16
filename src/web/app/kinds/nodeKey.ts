/** The same text for the same node, whatever the order of its members; members without a value do not count. */
export function nodeKey(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (part === null || typeof part !== "object" || Array.isArray(part)) return part;
    const entries = Object.entries(part).filter(([, one]) => one !== undefined);
    return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
