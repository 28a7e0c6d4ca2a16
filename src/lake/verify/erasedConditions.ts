import { VERSION_SOURCE } from "../../types/mod.ts";
import { concernsEvents, type RecordedErasure, type SegmentKind } from "../catalog/mod.ts";
import { sqlList, tableOfLists } from "../engine/mod.ts";
import { CLASS } from "../people/mod.ts";
import { checkUuid, isOfImport } from "../reading/mod.ts";

/** What a file `r` may hold. Each function here gives conditions on its rows, none where there is nothing to look for. */
export interface Told {
  erasures: readonly RecordedErasure[];
  /** What was deleted up to this version was taken out of the file. */
  erasedThrough: number;
}

/** Whether a row is of a deleted project. */
export function ofProjects(projects: ReadonlySet<number>): string[] {
  return projects.size === 0 ? [] : [`r.team_id in (select unnest(${sqlList([...projects], "bigint")}))`];
}

/** Whether a row of a daily rollup is of a deleted person: it has numbers only. */
export function ofNumbers(nobodys: ReadonlyMap<number, number[]>): string[] {
  return [...nobodys]
    .filter(([, numbers]) => numbers.length > 0)
    .map(([teamId, numbers]) => {
      return `(r.team_id = ${teamId} and r.person_number in (select unnest(${sqlList(numbers, "bigint")})))`;
    });
}

/** Whether a row of a file with so many typed columns came with an import that was undone afterwards. */
export function ofImports({ erasures, erasedThrough }: Told, columns: number): string[] {
  return erasures.flatMap((erasure) =>
    isOfImport(erasure, columns).map((isMeant) => {
      return erasure.version > erasedThrough
        ? isMeant
        : `(${isMeant} and epoch_ms(r.created_at) <= ${erasure.requestedAtMs})`;
    }),
  );
}

/** The ids of a person that was deleted. */
export function personsOf(erasure: RecordedErasure) {
  return erasure.kind === "person" ? erasure.personIds.map((personId) => ({ ...erasure, personId })) : [];
}

/** Whether a row `r` of the log was accepted before the deletion `e`. */
const IS_LOG_BEFORE = `(r.source <> ${VERSION_SOURCE.history} and r.t_ms <= e.requested_at_ms)`;

/** Whether a row of the log is of a group and from before it was deleted. */
export function ofGroups({ erasures, erasedThrough }: Told): string[] {
  const groups = erasures.filter((erasure) => erasure.kind === "group");
  if (groups.length === 0) return [];
  const erased = tableOfLists({
    team_id: ["bigint", groups.map(({ teamId }) => teamId)],
    class: ["utinyint", groups.map(({ index }) => CLASS.group0 + index)],
    subject: ["text", groups.map(({ key }) => key)],
    is_pending: ["boolean", groups.map(({ version }) => version > erasedThrough)],
    requested_at_ms: ["bigint", groups.map(({ requestedAtMs }) => requestedAtMs)],
  });
  return [
    `exists (from ${erased} e where e.team_id = r.team_id and e.class = r.class and e.subject = r.subject
      and (e.is_pending or ${IS_LOG_BEFORE}))`,
  ];
}

/** Whether a row is of a person and from before it was deleted. */
export function ofPersons({ erasures, erasedThrough }: Told, kind: SegmentKind): string[] {
  const persons = erasures.filter((erasure) => kind === "log" || concernsEvents(erasure)).flatMap(personsOf);
  if (persons.length === 0) return [];
  const erased = tableOfLists({
    person_id: ["uuid", persons.map(({ personId }) => checkUuid(personId))],
    is_pending: ["boolean", persons.map(({ version }) => version > erasedThrough)],
    with_events: ["boolean", persons.map((person) => person.withEvents)],
    requested_at_ms: ["bigint", persons.map(({ requestedAtMs }) => requestedAtMs)],
  });
  const isBefore: Record<SegmentKind, string> = {
    events: "epoch_ms(r.created_at) <= e.requested_at_ms",
    log: IS_LOG_BEFORE,
    // It has no times. Once it was rewritten, only persons that came back are in it.
    roster: "false",
  };
  const isMeant = kind === "log" ? `(e.with_events or r.class = ${CLASS.person})` : "true";
  return [
    `exists (from ${erased} e
      where e.person_id = r.person_id and ${isMeant} and (e.is_pending or ${isBefore[kind]}))`,
  ];
}
