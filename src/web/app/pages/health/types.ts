import type { Api } from "../../api/schema.ts";

/** Where the events of a project are. */
export type Status = Api["GET /api/environments/{project_id}/ingestion_status/"]["answer"];
/** What the figures were, step by step. */
export type Past = Api["GET /api/environments/{project_id}/ingestion_history/"]["answer"];
export type Installation = Api["GET /api/installation/status/"]["answer"];

export interface Wish {
  step: "minute" | "hour";
  steps: number;
}
