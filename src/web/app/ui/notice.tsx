import type { ComponentChildren } from "preact";
import { ApiError } from "../api/client.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface EmptyProps {
  title: string;
  /** It stands for a whole page. */
  isPage?: boolean;
  children?: ComponentChildren;
}

/** What a place shows that has nothing to show. */
export function Empty({ title, isPage = false, children }: EmptyProps) {
  const Title = isPage ? "h1" : "p";
  return (
    <div class="empty">
      <Title class="empty-title">{title}</Title>
      {children}
    </div>
  );
}

/** What went wrong, in words that can be read and copied, and a way to try again. */
export function Problem({ error, onRetry }: { error: unknown; onRetry?(): void }) {
  return (
    <div class="problem" role="alert">
      <Icon name="warning" />
      <p>{messageOf(error)}</p>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** An error in words. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.detail;
  return error instanceof Error ? error.message : String(error);
}

/** A place where something will be soon. */
export function Skeleton({ heightPx }: { heightPx: number }) {
  return <div class="skeleton" style={{ height: `${heightPx}px` }} aria-hidden="true" />;
}
