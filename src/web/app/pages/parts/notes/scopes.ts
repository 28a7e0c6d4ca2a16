import type { Annotation } from "../../../api/schema.ts";
import type { OfProject, Scope } from "./types.ts";

/** Where a new one can stand, the nearest first. */
export function scopesAt({ insight, board }: OfProject): readonly Scope[] {
  return [
    ...(board?.mayEdit ? (["dashboard"] as const) : []),
    ...(insight?.mayEdit ? (["dashboard_item"] as const) : []),
    "project",
    "organization",
  ];
}

export const SCOPE_LABELS: Readonly<Record<Scope, string>> = {
  dashboard_item: "This insight",
  dashboard: "This dashboard",
  project: "All charts of the project",
  organization: "All charts of all projects",
};

/** Whether the user may change it. */
export const isOpen = ({ user_access_level: level }: Annotation): boolean => level === "editor" || level === "manager";
