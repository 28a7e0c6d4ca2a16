import { Skeleton } from "../../ui/notice.tsx";

/** A list that will be there soon. */
export function ListSkeleton() {
  return (
    <div class="timeline-loading">
      {Array.from({ length: 8 }, (_, line) => (
        <Skeleton key={line} heightPx={28} />
      ))}
    </div>
  );
}
