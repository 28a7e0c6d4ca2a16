/** Two ids that became one person. */
export interface Merge {
  uuid: string;
  event: string;
  at: string;
  /** It became a part of the person of `target`. */
  source: string;
  target: string;
}

/** What an event merged (docs/persons.md#merges). Of a refused merge one of the ids is that of another person. */
export function mergeOf(row: readonly unknown[], ids: ReadonlySet<string>): Merge[] {
  const [uuid, event, at, distinctId, anonymous, alias] = row.map((cell) => (cell === null ? "" : String(cell)));
  const [source, target] = event === "$identify" ? [anonymous, distinctId] : aliased(event, distinctId, alias);
  if (!source || !target || source === target || !ids.has(source) || !ids.has(target)) return [];
  return [{ uuid: uuid!, event: event!, at: new Date(at!).toISOString(), source, target }];
}

const aliased = (event: string | undefined, distinctId: string | undefined, alias: string | undefined) =>
  event === "$create_alias" ? [distinctId, alias] : [alias, distinctId];
