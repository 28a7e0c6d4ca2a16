import type { Api } from "../../../api/schema.ts";

type Query = NonNullable<Api["GET /api/environments/{project_id}/advanced_activity_logs/"]["options"]["query"]>;

/** Which entries of the log are listed. Lists are JSON, times ISO. */
export interface Asked
  extends Pick<Query, "scopes" | "item_ids" | "users" | "activities" | "is_system" | "start_date" | "end_date"> {
  /** Null: of the whole organization. */
  projectId: number | null;
}
