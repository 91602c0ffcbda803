import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Empty } from '../parts/empty.tsx';
import { Page } from './page.tsx';

/** What stands at an address that leads nowhere. */
export function NotFound(): ReactNode {
  return (
    <Page title="Not found">
      <Empty title="There is no such page.">
        <p>
          <Link to="/runs">See the runs</Link>
        </p>
      </Empty>
    </Page>
  );
}
