import { Type } from "@sinclair/typebox";
import type { GroupType } from "../../metadata/mod.ts";
import { anyObject, nullable, object, oneOf, TIME, text } from "../../openapi/mod.ts";
import type { ListedGroup } from "../../query/mod.ts";
import type { GroupIndex } from "../../types/mod.ts";
import { JsonText } from "../http/longList.ts";
import { always, shape } from "../resource/shape.ts";

const INDEX = oneOf([0, 1, 2, 3, 4]);

/** Weir keeps no more of a type than its name and number. */
export const GROUP_TYPE = shape<GroupType>("GroupType", {
  group_type: [text("Its name."), "name"],
  group_type_index: [INDEX, "index"],
  name_singular: always(null),
  name_plural: always(null),
  detail_dashboard: always(null),
  default_columns: always(null),
  created_at: always(null),
});

/** All types of a project. */
export const GROUP_TYPES = object("GroupTypes", { group_types: Type.Array(GROUP_TYPE.schema) });

export const GROUP = shape<ListedGroup, { index: GroupIndex }>("Group", {
  group_type_index: [INDEX, (_, { index }) => index],
  group_key: [text(), "key"],
  group_properties: [anyObject(), ({ properties }) => new JsonText(properties)],
  created_at: [nullable(TIME), "createdAt"],
});
