import { type Difference, isObject, type Json, type JsonObject } from "./match.ts";
import type { Project, Service } from "./service.ts";

/** What a query case wants to be there. */
export interface SceneData {
  team?: JsonObject & { aggregate_users_by_distinct_id?: boolean };
  property_definitions?: JsonObject[];
  persons?: { distinct_ids: string[]; properties: JsonObject; created_at?: string }[];
  groups?: {
    group_type?: string;
    group_type_index: number;
    group_key: string;
    properties: JsonObject;
    created_at?: string;
  }[];
  cohorts?: { id: number; name: string; filters: { person?: JsonObject[] } }[];
  actions?: { id: number; name: string; steps: JsonObject[] }[];
  events: { event: string; distinct_id: string; timestamp: string; properties: JsonObject; person_mode?: string }[];
}

/** As much of an expectation as names ids. */
interface Expected {
  results?: Json[];
}

/** Brings a query case's data into a project and knows what its ids became. */
export class QueryScene {
  private readonly cohortIds = new Map<number, Json>();
  private readonly actionIds = new Map<number, Json>();

  constructor(
    private readonly service: Service,
    private readonly project: Project,
  ) {}

  /** In the order that the cases ask for. What cannot be made is told, and the rest goes on. */
  async make(data: SceneData): Promise<Difference[]> {
    const found: Difference[] = [];
    const steps: [string, () => Promise<unknown>][] = [
      ["team", () => this.settings(data.team ?? {})],
      ["property_definitions", () => this.each("property_definitions/", data.property_definitions)],
      ["persons", () => this.persons(data)],
      ["groups", () => this.groups(data.groups ?? [])],
      ["cohorts", () => this.cohorts(data.cohorts ?? [])],
      ["actions", () => this.actions(data.actions ?? [])],
      ["events", () => this.events(data.events)],
    ];
    for (const [path, step] of steps) {
      await step().catch((error: Error) => found.push({ path, expected: "made", got: error.message }));
    }
    return found;
  }

  /** The query with the ids that cohorts and actions have got here. */
  mapIds(query: Json): Json {
    if (Array.isArray(query)) return query.map((item) => this.mapIds(item));
    if (!isObject(query)) return query;
    const mapped = Object.fromEntries(Object.entries(query).map(([key, value]) => [key, this.mapIds(value)]));
    const idOf = (ids: Map<number, Json>, id: Json | undefined): Json => ids.get(Number(id)) ?? id ?? null;
    if (query.kind === "ActionsNode" || query.type === "actions") mapped.id = idOf(this.actionIds, query.id);
    if (query.type === "cohort") mapped.value = idOf(this.cohortIds, query.value);
    if (query.breakdown_type === "cohort" && Array.isArray(query.breakdown)) {
      mapped.breakdown = query.breakdown.map((id) => idOf(this.cohortIds, id));
    }
    return mapped;
  }

  /** The expected values of a breakdown by cohorts, with the ids that those have got here. */
  mapExpected<T extends Expected>(expected: T, query: Json): T {
    const filter = isObject(query) ? query.breakdownFilter : null;
    if (!isObject(filter) || filter.breakdown_type !== "cohort") return expected;
    const results = expected.results?.map((item) => {
      if (!isObject(item) || typeof item.breakdown_value !== "number") return item;
      return { ...item, breakdown_value: this.cohortIds.get(item.breakdown_value) ?? item.breakdown_value };
    });
    return results === undefined ? expected : { ...expected, results };
  }

  private path(rest: string): string {
    return `/api/environments/${this.project.id}/${rest}`;
  }

  private async settings({ aggregate_users_by_distinct_id: byDistinctId, ...team }: SceneData["team"] & {}) {
    const extra = { detect_property_types: false, ...(byDistinctId && { aggregate_users_by_distinct_id: true }) };
    const { id } = this.project;
    await this.service.need("PATCH", `/api/projects/${id}/environments/${id}/`, { ...team, extra_settings: extra });
  }

  private async each(path: string, bodies: JsonObject[] = []): Promise<void> {
    for (const body of bodies) await this.service.need("POST", this.path(path), body);
  }

  private async persons({ persons = [], events }: SceneData): Promise<void> {
    for (const { distinct_ids, properties, created_at } of persons) {
      const own = events.filter((event) => distinct_ids.includes(event.distinct_id)).map((event) => event.timestamp);
      const createdAt = created_at ?? own.toSorted((a, b) => Date.parse(a) - Date.parse(b))[0];
      const person = { distinct_ids, properties, ...(createdAt === undefined ? {} : { created_at: createdAt }) };
      await this.service.need("POST", this.path("persons/"), person as JsonObject);
    }
  }

  private async groups(groups: SceneData["groups"] & {}): Promise<void> {
    const inOrder = groups.toSorted((a, b) => a.group_type_index - b.group_type_index);
    for (const group of inOrder) {
      const type = group.group_type ?? `type_${group.group_type_index}`;
      const properties = { $group_type: type, $group_key: group.group_key, $group_set: group.properties };
      const identify = { event: "$groupidentify", distinct_id: `${type}_${group.group_key}`, properties };
      const timestamp: JsonObject = group.created_at === undefined ? {} : { timestamp: group.created_at };
      await this.service.store(this.project, [{ ...identify, ...timestamp }]);
    }
  }

  private async cohorts(cohorts: SceneData["cohorts"] & {}): Promise<void> {
    for (const { id, name, filters } of cohorts) {
      const values = (filters.person ?? []).map((filter) => ({ operator: "exact", ...filter, type: "person" }));
      const properties = { type: "OR", values: [{ type: "AND", values }] };
      const made = await this.service.need("POST", this.path("cohorts/"), { name, filters: { properties } });
      this.cohortIds.set(id, made.id!);
    }
  }

  private async actions(actions: SceneData["actions"] & {}): Promise<void> {
    for (const { id, name, steps } of actions) {
      const made = await this.service.need("POST", this.path("actions/"), { name, steps });
      this.actionIds.set(id, made.id!);
    }
  }

  private async events(events: SceneData["events"]): Promise<void> {
    const sent = events.map(({ person_mode: mode, properties, ...event }): JsonObject => {
      const personless: JsonObject = mode === "propertyless" ? { $process_person_profile: false } : {};
      return { ...event, properties: { ...properties, ...personless } };
    });
    await this.service.store(this.project, sent);
  }
}
