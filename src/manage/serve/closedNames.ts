import { type Activity, type Change, visibleAmong } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { isJsonObject, type Json } from "../../types/mod.ts";
import { seesAll, visibleTo } from "./access.ts";
import type { AccountCall, EnvironmentCall } from "./route.ts";

/** Where an entry names other records than its own: the dashboards that an insight was put on, each with its name. */
const namesDashboards = ({ type, field }: Change): boolean => type === "Insight" && field === "dashboards";

/** Entries of the environment of a call as its caller may see them: without the dashboards that are closed to it. */
export async function withoutClosed(
  tx: Tx,
  call: AccountCall & Partial<EnvironmentCall>,
  entries: readonly Activity[],
): Promise<readonly Activity[]> {
  const { caller, environment } = call;
  if (environment === undefined || seesAll(caller)) return entries;
  const changes = entries.flatMap(({ detail }) => detail.changes ?? []).filter(namesDashboards);
  const ids = changes.flatMap(({ before, after }) => [...idsIn(before), ...idsIn(after)]);
  const visible = visibleTo(caller, "dashboard");
  const open = await visibleAmong(tx, { teamId: environment.id, kind: "dashboard", ids, visible });
  const isOpen = (item: Json) => open.has(idOf(item));
  const kept = (value: Json): Json => (Array.isArray(value) ? value.filter(isOpen) : null);
  const changesKept = (all: readonly Change[]): Change[] =>
    all.flatMap((change) => {
      if (!namesDashboards(change)) return [change];
      const seen = { ...change, before: kept(change.before), after: kept(change.after) };
      return Bun.deepEquals(seen.before, seen.after) ? [] : [seen];
    });
  return entries.map((entry) => {
    const { changes } = entry.detail;
    if (changes === null || !changes.some(namesDashboards)) return entry;
    const left = changesKept(changes);
    return { ...entry, detail: { ...entry.detail, changes: left.length === 0 ? null : left } };
  });
}

const idOf = (item: Json): number => Number(isJsonObject(item) ? item.id : item);
const idsIn = (value: Json): number[] => (Array.isArray(value) ? value.map(idOf).filter(Number.isSafeInteger) : []);
