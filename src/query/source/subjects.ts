import type { Json, PropertyOwner, PropertyType } from "../../types/mod.ts";
import { invalidQuery, notSupported } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import { propertyText } from "../sql/properties.ts";
import { type Sql, sql } from "../sql/sql.ts";
import { asText } from "../value/convert.ts";
import { typeOf, value } from "../value/types.ts";
import type { QueryContext } from "./context.ts";
import { compileEmbedded } from "./embedded.ts";
import type { EventsTable } from "./events.ts";
import { groupIndexOf } from "./lookups.ts";

/** What a filter, a breakdown or a math looks at, as its node says it. */
export interface SubjectNode {
  /** PostHog's word for whose property it is; of the event where absent. */
  type: Json;
  key: string;
  groupTypeIndex: Json;
}

export interface Subject {
  /** NULL where the property is missing or JSON null. Of persons and groups it is the value of now. */
  text: Sql;
  /** What the project's definitions say that it holds. */
  type: PropertyType | null;
}

/** The property of each row that a node names. Errors: TerminalError `invalid_query` that names the place. */
export function subjectOf(node: SubjectNode, events: EventsTable, context: QueryContext, place: string): Subject {
  const { key } = node;
  const defined = (text: Sql, owner: PropertyOwner): Subject => ({
    text,
    type: context.records.propertyType(owner, key),
  });
  switch (node.type ?? "event") {
    case "event":
      if (key === "$elements_chain") return { text: events.column("elements_chain"), type: null };
      return defined(events.property(key), { type: "event" });
    case "feature":
      return { text: events.property(`$feature/${key}`), type: null };
    case "person":
      if (key === "distinct_id") return { text: events.column("distinct_id"), type: null };
      return defined(propertyText(events.person.property(key), []), { type: "person" });
    case "group": {
      const index = groupIndexOf(node.groupTypeIndex);
      if (index === null) {
        throw invalidQuery(`${place}.group_type_index`, `must be 0 to 4, not ${shown(node.groupTypeIndex)}`);
      }
      return defined(propertyText(events.groups[index].property(key), []), { type: "group", index });
    }
    case "event_metadata":
      return { text: metadataText(key, events, context, place), type: null };
    case "session": {
      const { value: field, kind } = events.session.field(key, `${place}.key`);
      return { text: asText(value(field, typeOf(kind, true)), context).sql, type: null };
    }
    case "hogql":
      return { text: compileEmbedded(key, "text", events, context, place), type: null };
    default:
      throw notSupported(`${place}.type`, `a property of type ${shown(node.type)}`);
  }
}

/** A column of the event itself. */
function metadataText(key: string, events: EventsTable, context: QueryContext, place: string): Sql {
  switch (key) {
    case "event":
    case "distinct_id":
    case "elements_chain":
      return events.column(key);
    case "timestamp":
    case "created_at":
      return asText(value(events.column(key), typeOf("datetime")), context).sql;
    case "uuid":
      return sql`CAST(${events.column("uuid")} AS VARCHAR)`;
    case "person_id":
      return sql`CAST(${events.personId()} AS VARCHAR)`;
    case "person_mode":
      return sql`CASE WHEN ${events.personMode()} = 1 THEN 'propertyless' ELSE 'full' END`;
  }
  if (/^\$(group_[0-4]|session_id|window_id)$/.test(key)) return events.property(key);
  throw invalidQuery(`${place}.key`, `events have no column ${shown(key)}`);
}
