import type { Fragment, Tx } from "../store/mod.ts";
import { type ControlledKind, type Visible, visibleIds } from "./access.ts";
import { visibleAnnotationIds } from "./annotations.ts";

/** What a reader may see of each kind; everything of a kind that is not in it. */
export type SeenKinds = ReadonlyMap<ControlledKind, Visible>;

/** What the activity log calls each kind. */
const SCOPES: Readonly<Record<ControlledKind, string>> = {
  insight: "Insight",
  dashboard: "Dashboard",
  cohort: "Cohort",
  action: "Action",
};

/**
 * The condition that an entry of the activity log is not about a record that may not be seen. Annotations, alerts and subscriptions are
 * seen where their insight or dashboard is.
 */
export function isAboutVisible(tx: Tx, teamId: number | undefined, seen: SeenKinds = new Map()): Fragment {
  if (seen.size === 0 || teamId === undefined) return tx`true`;
  const ids = (kind: ControlledKind) => visibleIds(tx, { teamId, kind, visible: seen.get(kind)! });
  const isSeen = (kind: ControlledKind, column: string) =>
    seen.has(kind) ? tx`(${tx(column)} is null or cast(${tx(column)} as text) in (${ids(kind)}))` : tx`true`;
  const [insights, dashboards] = [seen.get("insight") ?? null, seen.get("dashboard") ?? null];
  const about: [scope: string, ids: Fragment][] = [
    ...[...seen.keys()].map((kind): [string, Fragment] => [SCOPES[kind], ids(kind)]),
    ["Annotation", visibleAnnotationIds(tx, { teamId, insights, dashboards })],
    ["AlertConfiguration", tx`select id from alerts where team_id = ${teamId} and ${isSeen("insight", "insight_id")}`],
    [
      "Subscription",
      tx`select cast(id as text) from subscriptions where team_id = ${teamId}
        and ${isSeen("insight", "insight_id")} and ${isSeen("dashboard", "dashboard_id")}`,
    ],
  ];
  return about.reduce<Fragment>(
    (all, [scope, open]) => tx`${all} and (scope <> ${scope} or item_id in (${open}))`,
    tx`true`,
  );
}
