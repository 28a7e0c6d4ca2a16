/** What a node says of its kind with members changed; those set to undefined are left out. */
export function withMembers<F extends object>(filter: F | undefined, change: Partial<F>): F {
  const members = Object.entries({ ...filter, ...change });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as F;
}
