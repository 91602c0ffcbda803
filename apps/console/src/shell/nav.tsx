import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Activity, HeartPulse, Inbox, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import { gatesQuery } from '../api/queries.ts';

const pages = [
  { to: '/gates', name: 'Gates', icon: Inbox },
  { to: '/runs', name: 'Runs', icon: Activity },
  { to: '/workflows', name: 'Workflows', icon: Workflow },
  { to: '/health', name: 'Health', icon: HeartPulse },
] as const;

/** The pages of the console, and how many checkpoints wait. */
export function Nav(): ReactNode {
  const gates = useInfiniteQuery(gatesQuery);
  const waiting = gates.data?.pages[0]?.waiting ?? 0;
  return (
    <>
      <Link to="/gates" className="brand">
        <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" />
        workflowlookup
      </Link>
      <nav className="nav" aria-label="Console">
        <ul>
          {pages.map(({ to, name, icon: Icon }) => (
            <li key={to}>
              <Link to={to}>
                <Icon size={18} aria-hidden />
                {name}
                {to === '/gates' && waiting > 0 && (
                  <span className="count">
                    {waiting}
                    <span className="hidden-visually"> waiting</span>
                  </span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </>
  );
}
