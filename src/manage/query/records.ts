import {
  allObjects,
  type Nameable,
  type ProjectObject,
  readCohortPersons,
  readPropertyTypes,
  readRecordVersion,
  sees,
  type Visible,
} from "../../metadata/mod.ts";
import type { ActionRecord, ActionStep, CohortRecord, QueryRecords } from "../../query/mod.ts";
import type { Db, Tx } from "../../store/mod.ts";
import type { Json, JsonObject, PropertyOwner } from "../../types/mod.ts";

/** Projects whose records are kept in memory. */
const PROJECTS_KEPT = 20;

/** The records of a project, with what decides which of them a member may name. */
export interface ProjectRecords extends QueryRecords {
  cohorts: readonly CohortRecord[];
  actions: readonly ActionRecord[];
  /** Whether a member that sees such cohorts, or such actions, sees this one. */
  isOpen(id: number, visible: Visible): boolean;
}

/**
 * Records as a question names them whose asker sees some cohorts and actions only: a closed one is not there. What cohorts and
 * actions are made of has all of them.
 */
export function namedBy(records: ProjectRecords, { cohorts, actions }: Nameable): QueryRecords {
  if (cohorts === null && actions === null) return records;
  const isOpen = (visible: Visible | null) => (record: { id: number }) =>
    visible === null || records.isOpen(record.id, visible);
  return {
    propertyType: records.propertyType,
    ...lookUps(records.cohorts.filter(isOpen(cohorts)), records.actions.filter(isOpen(actions))),
    inside: records,
  };
}

/** The records of projects, read again when they have changed. */
export class RecordCache {
  private readonly kept = new Map<number, { version: number; records: ProjectRecords }>();

  constructor(private readonly db: Db) {}

  /** Those of now. */
  of(teamId: number): Promise<ProjectRecords> {
    return this.db.read(async (tx) => {
      const version = await readRecordVersion(tx, teamId);
      const kept = this.kept.get(teamId);
      const records = kept?.version === version ? kept.records : await readRecords(tx, teamId);
      this.kept.delete(teamId);
      this.kept.set(teamId, { version, records });
      if (this.kept.size > PROJECTS_KEPT) this.kept.delete(this.kept.keys().next().value!);
      return records;
    });
  }
}

/** All that a project's records say to its queries. */
export async function readRecords(tx: Tx, teamId: number): Promise<ProjectRecords> {
  const cohorts = await allObjects(tx, teamId, "cohort");
  const lists = await readCohortPersons(
    tx,
    cohorts.filter(({ content }) => content.isStatic).map(({ id }) => id),
  );
  const actions = await allObjects(tx, teamId, "action");
  const types = new Map(
    (await readPropertyTypes(tx, teamId)).map(({ owner, name, propertyType }) => [typeKey(owner, name), propertyType]),
  );
  const makers = new Map([...cohorts, ...actions].map(({ id, createdBy }) => [id, createdBy]));
  const named = {
    cohorts: cohorts.map((cohort) => cohortRecord(cohort, lists.get(cohort.id) ?? [])),
    actions: actions.map(actionRecord),
  };
  return {
    propertyType: (owner, key) => types.get(typeKey(owner, key)) ?? null,
    ...named,
    ...lookUps(named.cohorts, named.actions),
    isOpen: (id, visible) => sees(visible, { id, createdBy: makers.get(id) ?? null }),
  };
}

function lookUps(cohorts: readonly CohortRecord[], actions: readonly ActionRecord[]) {
  const [cohort, action] = [look(cohorts), look(actions)];
  return { cohort: cohort.byId, cohortNamed: cohort.byName, action: action.byId, actionNamed: action.byName };
}

const typeKey = (owner: PropertyOwner, key: string): string =>
  owner.type === "group" ? `group${owner.index} ${key}` : `${owner.type} ${key}`;

/** Of several with one name the oldest counts. */
function look<R extends { id: number; name: string }>(records: readonly R[]) {
  const byId = new Map(records.map((record) => [record.id, record]));
  const byName = new Map(records.toReversed().map((record) => [record.name, record]));
  return { byId: (id: number) => byId.get(id) ?? null, byName: (name: string) => byName.get(name) ?? null };
}

function cohortRecord({ id, name, content }: ProjectObject<"cohort">, personIds: readonly string[]): CohortRecord {
  const { isStatic, filters } = content;
  return { id, name: name ?? "", isStatic, properties: isStatic ? null : (filters.properties ?? null), personIds };
}

function actionRecord({ id, name, content }: ProjectObject<"action">): ActionRecord {
  return { id, name: name ?? "", steps: content.steps.map(actionStep) };
}

/** A step as queries read it. */
export function actionStep(step: JsonObject): ActionStep {
  return {
    event: textOf(step.event),
    properties: step.properties ?? null,
    url: textOf(step.url),
    urlMatching: matchingOf(step.url_matching),
    text: textOf(step.text),
    textMatching: matchingOf(step.text_matching),
    href: textOf(step.href),
    hrefMatching: matchingOf(step.href_matching),
    tagName: textOf(step.tag_name),
    selector: textOf(step.selector),
  };
}

const textOf = (value: Json | undefined): string | null => (typeof value === "string" ? value : null);

function matchingOf(value: Json | undefined): ActionStep["urlMatching"] {
  return value === "contains" || value === "regex" || value === "exact" ? value : null;
}
