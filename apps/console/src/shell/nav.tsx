import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Activity, HeartPulse, Inbox, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import { gatesQuery } from '../api/queries.ts';

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
          <li>
            <Link to="/gates">
              <Inbox size={18} aria-hidden />
              Gates
              {waiting > 0 && (
                <span className="count">
                  {waiting}
                  <span className="hidden-visually"> waiting</span>
                </span>
              )}
            </Link>
          </li>
          <li>
            <Link to="/runs">
              <Activity size={18} aria-hidden />
              Runs
            </Link>
          </li>
          <li>
            <Link to="/workflows">
              <Workflow size={18} aria-hidden />
              Workflows
            </Link>
          </li>
          <li>
            <Link to="/health">
              <HeartPulse size={18} aria-hidden />
              Health
            </Link>
          </li>
        </ul>
      </nav>
    </>
  );
}
