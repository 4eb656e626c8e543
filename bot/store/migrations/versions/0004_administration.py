"""Longer names of topics; who changed what; keys of servers and people; what is spent."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("preferences") as preferences:
        preferences.alter_column("topic", type_=sa.String(32), existing_type=sa.String(16), existing_nullable=False)
    op.create_table(
        "setting_changes",
        sa.Column("change_id", sa.Integer, primary_key=True),
        sa.Column("deed_id", sa.String(16), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.BigInteger, nullable=False),
        sa.Column("guild_id", sa.BigInteger, nullable=False),
        sa.Column("scope", sa.String(8), nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("topic", sa.String(32), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("old", sa.Text),
        sa.Column("new", sa.Text),
        sa.Column("undone", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_index("ix_setting_changes_deed_id", "setting_changes", ["deed_id"])
    op.create_index("ix_setting_changes_changed_by", "setting_changes", ["changed_by"])
    op.create_index("ix_setting_changes_place", "setting_changes", ["guild_id", "change_id"])
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
    )
    op.create_index("ix_provider_keys_owner", "provider_keys", ["scope", "scope_id"])
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
        sa.Column("calls", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("input_tokens", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("output_tokens", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("reasoning_tokens", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("cache_read_tokens", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("cost_nanodollars", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("unpriced_calls", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("estimated_calls", sa.BigInteger, nullable=False, server_default="0"),
    )
    op.create_index("ix_usage_days_guild_id", "usage_days", ["guild_id", "day"])
    op.create_index("ix_usage_days_user_id", "usage_days", ["user_id", "day"])


def downgrade() -> None:
    for table in ("usage_days", "provider_keys", "setting_changes"):
        op.drop_table(table)
    op.execute("DELETE FROM preferences WHERE length(topic) > 16")
    with op.batch_alter_table("preferences") as preferences:
        preferences.alter_column("topic", type_=sa.String(16), existing_type=sa.String(32), existing_nullable=False)
