"""What calls of models used and cost."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "usage_days",
        sa.Column("day", sa.Date, primary_key=True),
        sa.Column("guild_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("channel_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("provider", sa.String(32), primary_key=True),
        sa.Column("model", sa.String(200), primary_key=True),
        sa.Column("payer", sa.String(8), primary_key=True),
        sa.Column("key_last_four", sa.String(4), primary_key=True),
        sa.Column("purpose", sa.String(16), primary_key=True),
        *(
            sa.Column(name, sa.BigInteger, nullable=False, server_default="0")
            for name in (
                "calls",
                "input_tokens",
                "output_tokens",
                "reasoning_tokens",
                "cached_tokens",
                "cost_nano",
                "unpriced_calls",
                "estimated_calls",
            )
        ),
    )
    op.create_index("ix_usage_days_guild_id", "usage_days", ["guild_id", "day"])
    op.create_index("ix_usage_days_user_id", "usage_days", ["user_id", "day"])


def downgrade() -> None:
    op.drop_table("usage_days")
