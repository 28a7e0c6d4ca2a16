import type { Answer } from "../api/client.ts";
import { boardName, insightName } from "../format/name.ts";
import { formatShort } from "../format/number.ts";
import { groupPage, nameOf } from "../kinds/people/actor.ts";
import type { ActionDef, CohortDef, EventDef, PropertyDef } from "../question/definition.ts";
import { hrefOf } from "../shell/entries.ts";
import type { Target } from "./target.ts";

type Listed<R extends keyof Routes> = Answer<Routes[R]>["results"][number];
interface Routes {
  dashboard: "GET /api/environments/{project_id}/dashboards/";
  insight: "GET /api/environments/{project_id}/insights/";
  person: "GET /api/environments/{project_id}/persons/";
  group: "GET /api/environments/{project_id}/groups/";
}

export const dashboardOf = (projectId: number, { id, name, description, tags }: Listed<"dashboard">): Target => ({
  ...{ section: "Dashboards", key: String(id), label: boardName(name), icon: "dashboard" },
  words: [description, ...(tags ?? [])].join(" "),
  to: hrefOf(projectId, `dashboard/${id}`),
});

export const insightOf = (projectId: number, one: Listed<"insight">): Target => ({
  ...{ section: "Insights", key: one.short_id, label: insightName(one), icon: "insights" },
  words: [one.description, ...(one.tags ?? [])].join(" "),
  to: hrefOf(projectId, `insights/${one.short_id}`),
});

/** What a person is looked for by is in its words, so that it fits wherever it was found. */
export function personOf(projectId: number, { uuid, name, distinct_ids: ids, properties }: Listed<"person">): Target {
  const email = typeof properties.email === "string" ? properties.email : undefined;
  const label = name || email || ids[0] || uuid;
  return {
    ...{ section: "Persons", key: uuid, label, icon: "user", words: [uuid, email, ...ids].join(" ") },
    note: [email, ids[0]].find((text) => text !== undefined && text !== label),
    to: hrefOf(projectId, `persons/${uuid}`),
  };
}

/** A person by its uuid, which nobody has to look for. */
export const personByUuid = (projectId: number, uuid: string): Target => ({
  ...{ section: "Persons", key: uuid, label: `Person ${uuid}`, icon: "user", words: uuid },
  to: hrefOf(projectId, `persons/${uuid}`),
});

/** As persons: a group is found by any of its properties. `type`: what its type is called. */
export function groupOf(projectId: number, type: string, one: Listed<"group">): Target {
  const { group_type_index: index, group_key: key, group_properties: properties } = one;
  const label = nameOf({ id: key, group_key: key, properties });
  const words = Object.values(properties).filter((value) => typeof value === "string");
  return {
    ...{
      section: "Groups",
      key: `${index} ${key}`,
      label,
      icon: "people",
      words: [key, ...words].join(" "),
      hint: type,
    },
    note: label === key ? undefined : key,
    to: groupPage(projectId, index, key),
  };
}

export const cohortOf = (projectId: number, { id, key, label, count }: CohortDef): Target => ({
  ...{ section: "Cohorts", key, label, icon: "people" },
  hint: count === null ? undefined : formatShort(count),
  to: hrefOf(projectId, `cohorts/${id}`),
});

export const actionOf = (projectId: number, { id, key, label }: ActionDef): Target => ({
  ...{ section: "Actions", key, label, icon: "rocket" },
  to: hrefOf(projectId, `data-management/actions/${id}`),
});

export const eventOf = (projectId: number, { id, key, label, words, weight, volume }: EventDef): Target => ({
  ...{ section: "Events", key, label, words, weight, icon: "bolt" },
  note: key === label ? undefined : key,
  hint: volume === null ? undefined : formatShort(volume),
  to: hrefOf(projectId, `data-management/events/${id}`),
});

export const propertyOf = (projectId: number, { id = "", key, label, words, weight, type }: PropertyDef): Target => ({
  ...{ section: "Properties", key: `${type} ${key}`, label, words: `${words ?? ""} ${key}`, weight, icon: "table" },
  note: key === label ? undefined : key,
  hint: type === "person" ? "of persons" : undefined,
  to: hrefOf(projectId, `data-management/properties/${id}`),
});
