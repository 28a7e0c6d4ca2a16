import { Component, type ComponentChildren } from "preact";
import { Button } from "../ui/button.tsx";
import { Empty, messageOf } from "../ui/notice.tsx";

interface BoundaryProps {
  /** Another place is tried anew. */
  place: string;
  children: ComponentChildren;
}

/** A defect of one page says so, and leaves the rest standing. */
export class Boundary extends Component<BoundaryProps, { error: unknown }> {
  override state = { error: undefined };

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate(before: BoundaryProps) {
    if (before.place !== this.props.place && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render({ children }: BoundaryProps, { error }: { error: unknown }) {
    return error === undefined ? children : <Broken error={error} />;
  }
}

/** What stands in place of a page that cannot be shown. */
export function Broken({ error }: { error: unknown }) {
  return (
    <main class="page">
      <Empty isPage title="This page cannot be shown">
        <p class="broken-words">{messageOf(error)}</p>
        <p class="row">
          <Button look="primary" onClick={() => window.location.reload()}>
            Load it again
          </Button>
          <a class="button" href="/">
            Go home
          </a>
        </p>
      </Empty>
    </main>
  );
}
