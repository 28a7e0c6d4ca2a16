import type { Json, JsonObject } from "./match.ts";
import type { Project, Service } from "./service.ts";

const HOUR_MS = 3_600_000;

/** What a management case's placeholders stand for, made only where a case asks for it. */
export class Fixtures {
  private readonly names = new Map<string, Json>();

  constructor(
    private readonly service: Service,
    private readonly project: Project,
  ) {}

  /** The values of the placeholders in a document. Throws when one cannot be made. */
  async make(document: Json): Promise<Map<string, Json>> {
    const text = JSON.stringify(document);
    const events: JsonObject[] = [];
    for (const [, name] of text.matchAll(/\{(\w+)\}/g)) await this.makeOne(name!, events);
    if (text.includes("random_prop")) {
      events.push({ event: "random", distinct_id: "random", properties: { random_prop: "qwerty" } });
    }
    // A page of one event, and more behind it.
    if (text.includes("/events/?limit=1")) {
      events.push({ event: "first", distinct_id: "one" }, { event: "second", distinct_id: "one" });
    }
    await this.service.store(this.project, events);
    return this.names;
  }

  private async makeOne(name: string, events: JsonObject[]): Promise<void> {
    const { service, project, names } = this;
    if (names.has(name)) return;
    const set = (value: Json) => names.set(name, value);
    const key = async (wish: JsonObject) => set(await service.newKey(wish));
    const create = async (path: string, body: JsonObject) => Number((await service.need("POST", path, body)).id);
    switch (name) {
      case "project_id":
      case "id":
        return void set(project.id);
      case "key":
      case "star_key":
        return void set(service.key);
      case "read_key":
        return void (await key({ scopes: ["insight:read"] }));
      case "write_only_key":
        return void (await key({ scopes: ["insight:write"] }));
      case "query_read_key":
        return void (await key({ scopes: ["query:read"] }));
      case "sharing_read_key":
        return void (await key({ scopes: ["sharing_configuration:read"] }));
      case "empty_scopes_key":
        return void (await key({ scopes: [] }));
      case "team_scoped_key":
        return void (await key({ scopes: ["*"], scoped_teams: [project.id] }));
      case "member_key":
        return void (await key({ scopes: ["*"], level: "member" }));
      case "other_project_id":
        return void set((await service.newProject("other")).id);
      case "other_project_deleted_insight_id": {
        const other = `/api/environments/${await this.need("other_project_id", events)}/insights/`;
        const id = await create(other, { name: "deleted" });
        await service.need("PATCH", `${other}${id}/`, { deleted: true });
        return void set(id);
      }
      case "other_project_dashboard_id": {
        const other = `/api/environments/${await this.need("other_project_id", events)}/dashboards/`;
        return void set(await create(other, { name: "foreign" }));
      }
      case "disposable_env_id":
        return void set(await create(`/api/projects/${project.id}/environments/`, { name: "disposable" }));
      case "batch_export_id": {
        const credentials = { aws_access_key_id: "id", aws_secret_access_key: "secret" };
        const config = { bucket_name: "events", region: "us-east-1", prefix: "events", ...credentials };
        const wish = { name: "export", interval: "hour", destination: { type: "S3", config } };
        const made = await service.need("POST", `/api/projects/${project.id}/batch_exports/`, wish);
        return void set(made.id!);
      }
      case "unique_event": {
        const event = `unique ${crypto.randomUUID()}`;
        events.push({ event, distinct_id: "one" }, { event, distinct_id: "two" });
        return void set(event);
      }
      case "known_distinct_id": {
        const id = `known-${crypto.randomUUID()}`;
        const properties = { email: "tim@example.com", plan: "free" };
        const identify = { $anon_distinct_id: `${id}-2`, $set: properties };
        events.push({ event: "$identify", distinct_id: id, properties: identify });
        events.push({ event: "known event", distinct_id: id });
        return void set(id);
      }
      case "d25":
      case "t0":
      case "t23":
        return this.hourly("d25", 25, events);
      case "d250":
        return this.hourly("d250", 250, events);
      case "cqid":
      case "cqid2":
        return void set(crypto.randomUUID());
    }
  }

  private async need(name: string, events: JsonObject[]): Promise<Json> {
    await this.makeOne(name, events);
    return this.names.get(name)!;
  }

  /** A distinct id with events an hour apart, the last of them a minute ago. */
  private hourly(name: string, count: number, events: JsonObject[]): void {
    const distinctId = `${name}-${crypto.randomUUID()}`;
    const firstMs = Date.now() - 60_000 - (count - 1) * HOUR_MS;
    const times = Array.from({ length: count }, (_, i) => new Date(firstMs + i * HOUR_MS).toISOString());
    for (const timestamp of times) events.push({ event: "hourly", distinct_id: distinctId, timestamp });
    this.names.set(name, distinctId);
    if (name !== "d25") return;
    this.names.set("t0", times[0]!);
    this.names.set("t23", times[23]!);
  }
}
