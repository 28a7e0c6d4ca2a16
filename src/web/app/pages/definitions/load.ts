import { invalidate } from "../../api/cache.ts";
import { call, type Options } from "../../api/client.ts";
import type { Page } from "../../api/page.ts";
import type { EventDefinition, PropertyDefinition } from "../../api/schema.ts";
import { eventLabel, propertyLabel } from "../../question/names.ts";
import type { Findable } from "../../question/search.ts";
import { eventWords, propertyWords } from "../../question/searchWords.ts";
import type { Subject } from "./subject.ts";

export type PropertyType = PropertyDefinition["property_type"];

/** What is known of a name, of events and of properties alike. */
export interface Definition extends Findable {
  id: string;
  subject: Subject;
  description: string;
  tags: readonly string[];
  verified: boolean;
  hidden: boolean;
  createdAt: string;
  /** Insights that name it; null: not counted yet. */
  uses: number | null;
  /** Of events. */
  lastSeenAt: string | null;
  volume: number | null;
  /** Of properties. */
  propertyType: PropertyType;
}

const PAGE = 1_000;
const paramsOf = (projectId: number) => ({ project_id: String(projectId) });

/** A page of the names of a project, the oldest first: while pages are loaded their order stays. Throws ApiError. */
export async function loadPage(
  projectId: number,
  subject: Subject,
  { offset, search }: { offset: number; search?: string },
  signal: AbortSignal,
): Promise<Page<Definition, number>> {
  const [params, query] = [paramsOf(projectId), { limit: PAGE, offset, search, ordering: "created_at" }];
  const { results, next } =
    subject.kind === "event"
      ? await call("GET /api/environments/{project_id}/event_definitions/", {
          params,
          query,
          signal,
        }).then(({ results, next }) => ({ results: results.map(ofEvent), next }))
      : await call("GET /api/environments/{project_id}/property_definitions/", {
          params,
          query: { ...query, type: subject.type, group_type_index: subject.index as 0 | undefined },
          signal,
        }).then(({ results, next }) => ({ results: results.map(ofProperty), next }));
  return { items: results, next: next === null ? null : offset + PAGE };
}

/** One name, by its id or itself. Throws ApiError. */
export async function loadDefinition(projectId: number, kind: Subject["kind"], id: string): Promise<Definition> {
  const params = { ...paramsOf(projectId), id };
  return kind === "event"
    ? ofEvent(await call("GET /api/environments/{project_id}/event_definitions/{id}/", { params }))
    : ofProperty(await call("GET /api/environments/{project_id}/property_definitions/{id}/", { params }));
}

type Body = NonNullable<Options<"PATCH /api/environments/{project_id}/property_definitions/{id}/">["body"]>;

/** Says something of a name. Throws ApiError. */
export async function change(
  projectId: number,
  { id, subject }: Definition,
  { property_type, ...body }: Body,
): Promise<Definition> {
  const params = { ...paramsOf(projectId), id };
  const changed =
    subject.kind === "event"
      ? ofEvent(await call("PATCH /api/environments/{project_id}/event_definitions/{id}/", { params, body }))
      : ofProperty(
          await call("PATCH /api/environments/{project_id}/property_definitions/{id}/", {
            params,
            body: { property_type, ...body },
          }),
        );
  forgetLists(projectId);
  return changed;
}

/** Forgets what is said of a name. Throws ApiError. */
export async function forget(projectId: number, { id, subject }: Definition): Promise<void> {
  const params = { ...paramsOf(projectId), id };
  await (subject.kind === "event"
    ? call("DELETE /api/environments/{project_id}/event_definitions/{id}/", { params })
    : call("DELETE /api/environments/{project_id}/property_definitions/{id}/", { params }));
  forgetLists(projectId);
}

/** Those of pickers. */
const forgetLists = (projectId: number) => invalidate(`definitions/${projectId}/`);

type Known = Pick<EventDefinition, "id" | "description" | "tags" | "verified" | "hidden" | "created_at"> & {
  query_usage_30_day: number | null;
};

function shared({ id, description, tags, verified, hidden, created_at, query_usage_30_day }: Known) {
  return { id, description, tags, verified, hidden, createdAt: created_at, uses: query_usage_30_day };
}

function ofEvent(definition: EventDefinition): Definition {
  const { name, last_seen_at: lastSeenAt, volume_30_day: volume } = definition;
  return {
    ...shared(definition),
    subject: { kind: "event" },
    key: name,
    label: eventLabel(name),
    words: wordsOf(definition, eventWords(name)),
    weight: volume ?? 0,
    lastSeenAt,
    volume,
    propertyType: null,
  };
}

function ofProperty(definition: PropertyDefinition): Definition {
  const { name, type, group_type_index: index, property_type: propertyType } = definition;
  return {
    ...shared(definition),
    subject: index === null ? { kind: "property", type } : { kind: "property", type, index },
    key: name,
    label: propertyLabel(name, type),
    words: wordsOf(definition, propertyWords(name, type)),
    lastSeenAt: null,
    volume: null,
    propertyType,
  };
}

const wordsOf = ({ description, tags }: Known, known: string) => `${known} ${tags.join(" ")} ${description}`;
