"""Keys of servers and people."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "provider_keys",
        sa.Column("key_id", sa.Integer, primary_key=True),
        sa.Column("scope", sa.String(8), nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("provider", sa.String(32), nullable=False),
        sa.Column("base_url", sa.Text, nullable=False),
        sa.Column("encrypted", sa.Text, nullable=False),
        sa.Column("last_four", sa.String(4), nullable=False),
        sa.Column("added_by", sa.BigInteger, nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tested_at", sa.DateTime(timezone=True)),
        sa.Column("verdict", sa.String(16), nullable=False, server_default=""),
    )
    op.create_index("ix_provider_keys_owner", "provider_keys", ["scope", "scope_id"])
    op.create_index("ix_provider_keys_added_by", "provider_keys", ["added_by"])


def downgrade() -> None:
    op.drop_table("provider_keys")
