/**
 * The partitions of one member, by bounded rendezvous hashing: every partition goes to the member that draws the highest
 * number for it and has room left, so that few change hands when somebody comes or goes, and nobody has more than the
 * average, rounded up. Every member computes the same from the sorted list. Empty when it is not in the list.
 */
export function shareOf(memberId: string, members: readonly string[], partitions: number): Set<number> {
  const room = Math.ceil(partitions / Math.max(1, members.length));
  const draws = Array.from({ length: partitions }, (_, partition) =>
    members.map((member) => ({ partition, member, draw: Bun.hash.xxHash32(`${partition} ${member}`) })),
  ).flat();
  draws.sort((a, b) => b.draw - a.draw || a.partition - b.partition || (a.member < b.member ? -1 : 1));
  const taken = new Set<number>();
  const shares = new Map(members.map((member) => [member, new Set<number>()]));
  for (const { partition, member } of draws) {
    const share = shares.get(member)!;
    if (taken.has(partition) || share.size >= room) continue;
    share.add(partition);
    taken.add(partition);
  }
  return shares.get(memberId) ?? new Set();
}
