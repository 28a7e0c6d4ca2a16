import { type Answer, ApiError, call } from "../../api/client.ts";

export type Person = Answer<"GET /api/environments/{project_id}/persons/{id}/">;

/** By what the address names a person. */
export type Named = { uuid: string } | { distinctId: string };

/** The person of an address; null where there is none. Throws ApiError. */
export async function loadPerson(projectId: number, named: Named): Promise<Person | null> {
  const params = { project_id: String(projectId) };
  if ("uuid" in named) return byUuid(projectId, named.uuid);
  const { distinctId } = named;
  const { results } = await call("GET /api/environments/{project_id}/persons/", {
    params,
    query: { distinct_id: distinctId, limit: 1 },
  });
  // Links of other tools may have the uuid in its place.
  return results[0] ?? (UUID.test(distinctId) ? await byUuid(projectId, distinctId) : null);
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

async function byUuid(projectId: number, id: string): Promise<Person | null> {
  try {
    return await call("GET /api/environments/{project_id}/persons/{id}/", {
      params: { project_id: String(projectId), id },
    });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
