import type { GroupType } from "../../metadata/mod.ts";

/** A group type as the API shows it. What people can say of one elsewhere nobody can say here. */
export function groupTypeBody({ name, index }: GroupType) {
  return {
    group_type: name,
    group_type_index: index,
    name_singular: null,
    name_plural: null,
    detail_dashboard: null,
    default_columns: null,
    created_at: null,
  };
}
