import type { AcceptedEvent, JsonObject } from "../../src/types/mod.ts";

/** A person as PostHog would have it. */
export interface PostHogPerson {
  ids: string[];
  isIdentified: boolean;
  properties: JsonObject;
}

/**
 * Persons as PostHog makes them when it takes the events one by one (docs/persons.md), but that the guard always applies
 * and an alias becomes the main id (actors/DESIGN.md). Knows `$set`, `$set_once`, `$unset` and merges, nothing automatic.
 */
export class PostHog {
  private readonly personOf = new Map<string, PostHogPerson>();

  take({ event, distinctId, properties: text }: Pick<AcceptedEvent, "event" | "distinctId" | "properties">): void {
    const given = JSON.parse(text) as JsonObject;
    if (event === "$identify" && given.$anon_distinct_id !== undefined) {
      this.merge(String(given.$anon_distinct_id), distinctId, (source) => source.isIdentified);
    } else if (event === "$create_alias") {
      this.merge(distinctId, String(given.alias), (source, target) => source.isIdentified && target.isIdentified);
    } else if (event === "$merge_dangerously") this.merge(String(given.alias), distinctId, () => false);
    const { properties } = this.person(distinctId);
    const removed = ((given.$unset ?? []) as string[]).filter((key) => key in properties);
    Object.assign(properties, given.$set);
    for (const [key, value] of Object.entries((given.$set_once ?? {}) as JsonObject)) {
      if (!(key in properties)) properties[key] = value;
    }
    for (const key of removed) delete properties[key];
  }

  person(id: string): PostHogPerson {
    let person = this.personOf.get(id);
    if (person === undefined) {
      person = { ids: [id], isIdentified: false, properties: {} };
      this.personOf.set(id, person);
    }
    return person;
  }

  /** By their ids. */
  persons(): Record<string, Omit<PostHogPerson, "ids">> {
    return Object.fromEntries(
      [...new Set(this.personOf.values())].map(({ ids, ...person }) => [ids.sort().join(" "), person]),
    );
  }

  private merge(
    sourceId: string,
    targetId: string,
    isRefused: (source: PostHogPerson, target: PostHogPerson) => boolean,
  ): void {
    if (sourceId === targetId) return;
    const [source, target] = [this.person(sourceId), this.person(targetId)];
    const isMerged = source !== target && !isRefused(source, target);
    target.isIdentified = true;
    if (!isMerged) return;
    for (const id of source.ids) this.personOf.set(id, target);
    target.ids.push(...source.ids);
    target.properties = { ...source.properties, ...target.properties };
  }
}
