import { Violation } from "../observer.ts";

/** Throws where two objects differ, whatever the order of their keys. */
export function same(what: string, should: object, is: object): void {
  if (Bun.deepEquals(should, is)) return;
  const [a, b] = [sorted(should), sorted(is)];
  if (a !== b) throw new Violation(`${what}:\nshould be ${a}\nis        ${b}`);
}

function sorted(value: object): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
