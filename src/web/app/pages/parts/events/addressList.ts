/** The members of a list that stands in the address as JSON; none where it holds something else. */
export function listInAddress(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** Those of them that are objects. */
export const objectsInAddress = <T extends object>(text: string): readonly T[] =>
  listInAddress(text).filter((one): one is T => typeof one === "object" && one !== null);
