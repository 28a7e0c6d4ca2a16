import { type Answer, call, type Options } from "../../api/client.ts";
import type { Page } from "../../api/page.ts";
import { recordsChanged } from "../parts/records/removeRecord.ts";

export type Cohort = Answer<"GET /api/environments/{project_id}/cohorts/{id}/">;
export type CohortPerson = Answer<"GET /api/environments/{project_id}/cohorts/{id}/persons/">["results"][number];
type Body = NonNullable<Options<"PATCH /api/environments/{project_id}/cohorts/{id}/">["body"]>;

const PAGE = 100;
const paramsOf = (projectId: number) => ({ project_id: String(projectId) });

/** Under what a cohort is kept. */
export const cohortKey = (projectId: number, id: number): string => `cohorts/${projectId}/one/${id}`;

/** A cohort. Throws ApiError. */
export const loadCohort = (projectId: number, id: number): Promise<Cohort> =>
  call("GET /api/environments/{project_id}/cohorts/{id}/", { params: { ...paramsOf(projectId), id } });

/** Makes a cohort. Throws ApiError. */
export async function createCohort(projectId: number, body: Record<string, unknown>): Promise<Cohort> {
  const made = await call("POST /api/environments/{project_id}/cohorts/", {
    params: paramsOf(projectId),
    body: body as never,
  });
  recordsChanged(projectId, "cohort");
  return made;
}

/** Changes a cohort. Throws ApiError. */
export async function changeCohort(projectId: number, id: number, body: Body): Promise<Cohort> {
  const route = "PATCH /api/environments/{project_id}/cohorts/{id}/";
  const changed = await call(route, { params: { ...paramsOf(projectId), id }, body });
  recordsChanged(projectId, "cohort");
  return changed;
}

/** Takes a person off the list of a static cohort. Throws ApiError. */
export async function removePerson(projectId: number, id: number, person: string): Promise<void> {
  const route = "PATCH /api/environments/{project_id}/cohorts/{id}/remove_person_from_static_cohort/";
  await call(route, { params: { ...paramsOf(projectId), id }, body: { person_id: person } });
  recordsChanged(projectId, "cohort");
}

/** A page of the persons of a cohort, the newest first. Throws ApiError. */
export async function loadPeople(
  projectId: number,
  { id, search }: { id: number; search: string },
  offset: number,
  signal: AbortSignal,
): Promise<Page<CohortPerson, number>> {
  const { results, next } = await call("GET /api/environments/{project_id}/cohorts/{id}/persons/", {
    params: { ...paramsOf(projectId), id },
    query: { search: search.trim() || undefined, limit: PAGE, offset },
    signal,
  });
  return { items: results, next: next === null ? null : offset + PAGE };
}
